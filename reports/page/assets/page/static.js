// A page that is all there without a script (static.html): the script adds the choice of its theme.

import { themeSwitch } from "./theme.js";

document.getElementById("bar-tools").append(themeSwitch());
