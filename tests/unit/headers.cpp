// Nothing: this program is there for the headers that are compiled for it.
