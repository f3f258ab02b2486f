package io.millrace.format.avro;

/** Turns values of Java into those of Avro's generic model and back. Stateless after creation. */
interface AvroConversion {
  Object toAvro(Object value);

  Object fromAvro(Object value);

  /** For values that are the same in both. */
  AvroConversion SAME =
      new AvroConversion() {
        @Override
        public Object toAvro(Object value) {
          return value;
        }

        @Override
        public Object fromAvro(Object value) {
          return value;
        }
      };

  interface Step {
    Object apply(Object value);
  }

  static AvroConversion of(Step toAvro, Step fromAvro) {
    return new AvroConversion() {
      @Override
      public Object toAvro(Object value) {
        return toAvro.apply(value);
      }

      @Override
      public Object fromAvro(Object value) {
        return fromAvro.apply(value);
      }
    };
  }
}
