package io.statestore.dafka.consumer;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;

/** Keeps a machine's commands. There is always room. */
final class RecordingOutput implements Machine.Output {

	final List<Command> sent = new ArrayList<>();

	@Override
	public void send(Command command) {
		this.sent.add(command);
	}

	@Override
	public boolean hasRoom() {
		return true;
	}

	@Override
	public boolean offer(byte[] header, Bytes content) {
		return true;
	}

}
