package io.statestore.dafka.producer;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.wire.Command;

/** An output without a network. Accepts everything, unless the room is limited. */
final class DiscardingOutput implements Output {

	private int room = Integer.MAX_VALUE;

	/** Whether commands wait for room. */
	boolean blocked;

	/** Sets the number of records that are accepted from now on. */
	void room(int records) {
		this.room = records;
	}

	@Override
	public void send(Command command) {
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
