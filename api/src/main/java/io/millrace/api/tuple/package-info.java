/** Tuples as records of streams and as keys. A record class of your own has names that say more. */
package io.millrace.api.tuple;
