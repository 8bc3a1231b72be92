package io.statestore.client.lock;

import io.statestore.protocol.Version;

/**
 * The value of the counter that processes increment under a lock: what they count, who
 * wrote it, and under which token.
 *
 * @param count the number of increments
 * @param writer the name of the process
 * @param sequence the number of the attempt among those of the process
 * @param token of the tenure
 */
record Increment(long count, String writer, long sequence, Version token) {

	/** Before the first one. */
	static final Increment NONE = new Increment(0, "nobody", 0, new Version(0, 0, "nobody"));

	static Increment parse(String text) {
		String[] parts = text.split(" ");
		return new Increment(Long.parseLong(parts[0]), parts[1], Long.parseLong(parts[2]), Version.parse(parts[3]));
	}

	/** By another attempt, not before this one. */
	Increment next(String writer, long sequence, Version token) {
		return new Increment(this.count + 1, writer, sequence, token);
	}

	/** Which attempt of which process. */
	String attempt() {
		return this.writer + ' ' + this.sequence;
	}

	@Override
	public String toString() {
		return this.count + " " + this.writer + ' ' + this.sequence + ' ' + this.token;
	}

}
