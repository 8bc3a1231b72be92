package io.statestore.sample.room;

import java.util.List;

/**
 * A press, as the page shows it.
 *
 * @param name its name, such as {@code press-1}
 * @param temperature temperature in degrees Celsius
 * @param packsPerMinute speed in packs per minute
 * @param packs number of packs since its start
 * @param leader whether it is the leader
 * @param state state of its process
 * @param connected whether its cable is plugged in
 * @param temperatures latest temperatures, oldest first, at most 60
 */
record Machine(String name, double temperature, double packsPerMinute, long packs, boolean leader, State state,
		boolean connected, List<Double> temperatures) {

	Machine {
		temperatures = List.copyOf(temperatures);
	}

	/** State of the process of a press. */
	enum State {

		/** Runs as a process of this control room. */
		RUNNING,

		/** Runs, but has stored no reading yet or none for a while. */
		SILENT,

		/** Stopped with SIGSTOP. */
		PAUSED,

		/** Has been killed, or has ended. */
		ENDED,

		/** Was started elsewhere, so that this control room cannot pause or kill it. */
		ELSEWHERE

	}

}
