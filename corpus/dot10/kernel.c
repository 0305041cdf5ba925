float dot(const float x[10], const float y[10])
{
  float sum = 0.0f;
  for (int i = 0; i < 10; i++)
    sum += x[i] * y[i];
  return sum;
}
