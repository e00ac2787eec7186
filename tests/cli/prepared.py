"""Classes of tests that run kbench once: their tests look at its rows, or go on from a copy of its folder."""

import shutil


class Prepared:
    """Comes before a CliCase among the bases. `prepare()` is called once for the class, by an instance of its
    own, which is `self.prepared` in the tests. Each test begins with a copy of what its folder holds then."""

    prepared = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepared = None  # the instance itself has nothing to copy
        prepared = cls()
        cls.addClassCleanup(prepared.doCleanups)
        prepared.setUp()
        prepared.prepare()
        cls.prepared = prepared

    def setUp(self):
        super().setUp()
        if self.prepared:
            shutil.copytree(self.prepared.folder, self.folder, symlinks=True, dirs_exist_ok=True)

    def prepare(self):
        raise NotImplementedError
