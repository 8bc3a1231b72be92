package io.statestore.dafka;

/** The clock behind every timer of a node, to be replaced in tests. Safe to share. */
@FunctionalInterface
public interface Ticker {

	/** The clock of this machine. */
	Ticker SYSTEM = System::nanoTime;

	/** Nanoseconds since some moment; only differences mean something. */
	long nanos();

}
