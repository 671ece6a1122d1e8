* free format, no set names
NAME free
ROWS
 N obj
 N other
 L c1
COLUMNS
 x obj 1 c1 1
 x other 2
 y c1 -2.5e-3
RHS
 c1 1e30
BOUNDS
 LO x -5
 MI y
 UI y 9
 PL x
 FX x inf
ENDATA
