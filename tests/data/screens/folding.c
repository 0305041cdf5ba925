#define max(a, b) ((a) >= (b) ? (a) : (b))
#define pairs(a, b) ((a) + (b) == 3 ? 1 : 0)

void folding(int n, const char seq[n], int table[n][n])
{
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      if (j >= 1) table[i][j] = max(table[i][j], table[i][j-1]);
      if (i + 1 < n) table[i][j] = max(table[i][j], table[i+1][j]);
      if (j >= 1 && i + 1 < n) {
        if (i < j - 1) table[i][j] = max(table[i][j], table[i+1][j-1] + pairs(seq[i], seq[j]));
        else table[i][j] = max(table[i][j], table[i+1][j-1]);
      }
      for (int k = i + 1; k < j; k++)
        table[i][j] = max(table[i][j], table[i][k] + table[k+1][j]);
    }
}
