package io.statestore.dafka.node.internal;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Machine;
import org.jspecify.annotations.Nullable;

/** Machine that records what arrives and sends the test's messages. */
final class RecordingMachine implements Machine {

	final Queue<String> received = new ConcurrentLinkedQueue<>();

	final Queue<String> subscriptions = new ConcurrentLinkedQueue<>();

	private final Queue<byte[]> toSend = new ConcurrentLinkedQueue<>();

	private final Machine.Output output;

	/** Whether messages are left unread. */
	volatile boolean full;

	RecordingMachine(Machine.Output output) {
		this.output = output;
	}

	void send(String header) {
		this.toSend.add(header.getBytes(StandardCharsets.US_ASCII));
	}

	@Override
	public List<byte[]> subscriptions() {
		return List.of(new byte[] { 'M' });
	}

	@Override
	public boolean received(byte[] header, byte @Nullable [] content, long now) {
		this.received.add(new String(header, StandardCharsets.US_ASCII));
		return content != null;
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		this.subscriptions.add(new String(prefix, StandardCharsets.US_ASCII));
	}

	@Override
	public boolean isFull() {
		return this.full;
	}

	boolean isSent() {
		return this.toSend.isEmpty();
	}

	@Override
	public long work(long now) {
		for (byte[] next = this.toSend.peek(); next != null; next = this.toSend.peek()) {
			if (!this.output.offer(next, Bytes.EMPTY)) {
				return now + 1_000_000;
			}
			this.toSend.remove();
		}
		return now + 10_000_000_000L;
	}

	@Override
	public void closed() {
	}

}
