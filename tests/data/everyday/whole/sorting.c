#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void merge_pass(const int *src, int *dst, int n, int width)
{
    for (int lo = 0; lo < n; lo += 2 * width) {
        int mid = lo + width < n ? lo + width : n;
        int hi = lo + 2 * width < n ? lo + 2 * width : n;
        int i = lo, j = mid;
        for (int k = lo; k < hi; k++) {
            if (i < mid && (j >= hi || src[i] <= src[j]))
                dst[k] = src[i++];
            else
                dst[k] = src[j++];
        }
    }
}

static void merge_sort(int *a, int *tmp, int n)
{
    int *from = a, *to = tmp;
    for (int width = 1; width < n; width *= 2) {
        merge_pass(from, to, n, width);
        int *t = from;
        from = to;
        to = t;
    }
    if (from != a) memcpy(a, from, n * sizeof(int));
}

static void selection_sort(int *a, int n)
{
    for (int i = 0; i < n - 1; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            if (a[j] < a[least]) least = j;
        int t = a[i];
        a[i] = a[least];
        a[least] = t;
    }
}

static int is_sorted(const int *a, int n)
{
    int bad = 0;
    for (int i = 0; i + 1 < n; i++)
        bad += a[i] > a[i + 1];
    return bad == 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 24;
    int small = 20000;
    int *a = malloc(n * sizeof *a), *tmp = malloc(n * sizeof *tmp), *b = malloc(small * sizeof *b);
    srand(7);
    for (int i = 0; i < n; i++)
        a[i] = rand();
    for (int i = 0; i < small; i++)
        b[i] = a[i];
    merge_sort(a, tmp, n);
    selection_sort(b, small);
    printf("%d %d\n", is_sorted(a, n), is_sorted(b, small));
    free(a);
    free(tmp);
    free(b);
    return 0;
}
