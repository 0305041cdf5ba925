#include <stdio.h>
#include <stdlib.h>

#define N 2500

static int best[N][N];
static char base[N];

static int pairs(char a, char b) { return a + b == 3; }

static int larger(int a, int b) { return a > b ? a : b; }

static void fold(void)
{
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) {
      best[i][j] = larger(best[i][j - 1], best[i + 1][j]);
      best[i][j] = larger(best[i][j], best[i + 1][j - 1] + (i < j - 1 ? pairs(base[i], base[j]) : 0));
      for (int k = i + 1; k < j; k++)
        best[i][j] = larger(best[i][j], best[i][k] + best[k + 1][j]);
    }
}

int main(void)
{
  for (int i = 0; i < N; i++) base[i] = rand() & 3;
  fold();
  printf("%d\n", best[0][N - 1]);
}
