package io.millrace.api;

import java.io.Serializable;

/** A record of one of two streams; the other field is null. */
record JoinInput<A, B>(A first, B second) implements Serializable {}
