package io.millrace.api.custom;

/**
 * An operator with one input.
 *
 * <pre>{@code
 * // Passes records on and holds event time back by an hour.
 * class Delayed extends OneInputOperator<String, String> {
 *   public void process(String record, Context context, OperatorOutput<String> out) {
 *     out.emit(record);
 *   }
 *
 *   public void watermark(long watermark, OperatorOutput<String> out) {
 *     out.emitWatermark(watermark - 3_600_000);
 *   }
 * }
 *
 * env.readText("orders").transform("delayed", new Delayed()).print();
 * }</pre>
 *
 * @param <T> records
 * @param <R> results
 */
public abstract non-sealed class OneInputOperator<T, R> extends CustomOperator<R> {
  private static final long serialVersionUID = 1L;

  public abstract void process(T record, Context context, OperatorOutput<R> out) throws Exception;
}
