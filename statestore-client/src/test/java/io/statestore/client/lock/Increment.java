package io.statestore.client.lock;

import io.statestore.protocol.Version;

/**
 * Value of a counter that processes increment under a lock.
 *
 * @param count number of increments
 * @param writer name of the process
 * @param sequence number of the attempt within the process
 * @param token of the tenure
 */
record Increment(long count, String writer, long sequence, Version token) {

	/** State before the first increment. */
	static final Increment NONE = new Increment(0, "none", 0, new Version(0, 0, "none"));

	static Increment parse(String text) {
		String[] parts = text.split(" ");
		return new Increment(Long.parseLong(parts[0]), parts[1], Long.parseLong(parts[2]), Version.parse(parts[3]));
	}

	/** Returns the next increment, written by another attempt. */
	Increment next(String writer, long sequence, Version token) {
		return new Increment(this.count + 1, writer, sequence, token);
	}

	/** Returns an identification of the attempt. */
	String attempt() {
		return this.writer + ' ' + this.sequence;
	}

	@Override
	public String toString() {
		return this.count + " " + this.writer + ' ' + this.sequence + ' ' + this.token;
	}

}
