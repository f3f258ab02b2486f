package io.millrace.api.custom;

/**
 * An operator with two inputs.
 *
 * <pre>{@code
 * class Both extends TwoInputOperator<String, Long, String> {
 *   public void process1(String record, Context context, OperatorOutput<String> out) {
 *     out.emit(record);
 *   }
 *
 *   public void process2(Long record, Context context, OperatorOutput<String> out) {
 *     out.emit("number " + record);
 *   }
 * }
 *
 * env.fromElements("a").connect(env.fromElements(1L)).transform("both", new Both()).print();
 * }</pre>
 *
 * @param <A> records of the first input
 * @param <B> records of the second input
 * @param <R> results
 */
public abstract non-sealed class TwoInputOperator<A, B, R> extends CustomOperator<R> {
  private static final long serialVersionUID = 1L;

  public abstract void process1(A record, Context context, OperatorOutput<R> out) throws Exception;

  public abstract void process2(B record, Context context, OperatorOutput<R> out) throws Exception;
}
