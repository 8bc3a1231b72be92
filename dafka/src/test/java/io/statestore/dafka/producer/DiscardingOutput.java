package io.statestore.dafka.producer;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;

/**
 * {@code Machine.Output} without a network. Accepts all records unless room is limited.
 */
final class DiscardingOutput implements Machine.Output {

	private int room = Integer.MAX_VALUE;

	/** Commands that were sent. */
	final List<Command> commands = new ArrayList<>();

	/** Whether commands must wait for room. */
	boolean blocked;

	/** Whether messages to a peer are being dropped. */
	boolean dropping;

	/** Sets how many more records are accepted. */
	void room(int records) {
		this.room = records;
	}

	@Override
	public void send(Command command) {
		this.commands.add(command);
	}

	@Override
	public boolean isDropping() {
		return this.dropping;
	}

	@Override
	public boolean hasRoom() {
		return !this.blocked;
	}

	@Override
	public boolean offer(byte[] header, Bytes content) {
		if (this.room == 0) {
			return false;
		}
		this.room--;
		return true;
	}

}
