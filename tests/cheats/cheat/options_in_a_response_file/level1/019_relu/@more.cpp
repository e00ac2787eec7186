// The name of this file is the cheat: g++ reads "@more.cpp" as "take options from more.cpp".
