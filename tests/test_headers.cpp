// Gives the precompiled headers of the tests a target.
int main() {}
