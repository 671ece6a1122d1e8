NAME          KNAPSACK
OBJSENSE
    MAX
ROWS
 N  VALUE
 L  SIZE
 G  LEAST
 E  EXACT
COLUMNS
    MARKER    'MARKER'    'INTORG'
    A         VALUE     3.0   SIZE      2
    A         LEAST     1
    B         VALUE     -1e3  SIZE      4
    MARKER    'MARKER'    'INTEND'
    C         SIZE      1.5   EXACT     1
RHS
    RHS       SIZE      10    LEAST     1
    RHS       EXACT     2     VALUE     -7
RANGES
    RNG       SIZE      4     EXACT     -1
BOUNDS
 UP BND       A         5
 BV BND       B
 FR BND       C
ENDATA
