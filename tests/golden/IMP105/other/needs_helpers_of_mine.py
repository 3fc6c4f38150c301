import helpers_of_mine
x = 1
