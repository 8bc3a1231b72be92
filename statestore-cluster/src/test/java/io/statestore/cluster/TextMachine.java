package io.statestore.cluster;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.server.Replica;
import org.jspecify.annotations.Nullable;

/** Machine whose state is the list of all texts. */
final class TextMachine implements ReplicatedMachine {

	private final List<String> texts = new ArrayList<>();

	private volatile int restored;

	private volatile boolean failed;

	private volatile String poison = "";

	private volatile boolean refusesToLead;

	private volatile boolean led;

	private long lastIndex;

	synchronized List<String> texts() {
		return List.copyOf(this.texts);
	}

	/** Returns the number of texts that came from a snapshot. */
	int restored() {
		return this.restored;
	}

	/** Sets a text that the machine will fail to apply. */
	void setPoison(String text) {
		this.poison = text;
	}

	/** Makes the machine throw an exception when its node becomes the leader. */
	void refuseToLead() {
		this.led = false;
		this.refusesToLead = true;
	}

	boolean hasLed() {
		return this.led;
	}

	boolean hasFailed() {
		return this.failed;
	}

	@Override
	public synchronized void apply(long index, long term, ByteBuffer entry, @Nullable Object attachment) {
		if (index <= this.lastIndex) {
			throw new AssertionError("Entry " + index + " follows entry " + this.lastIndex);
		}
		String text = StandardCharsets.UTF_8.decode(entry).toString();
		if (text.equals(this.poison)) {
			throw new IllegalStateException("The text is poison");
		}
		this.lastIndex = index;
		this.texts.add(text);
	}

	@Override
	public Replica.Snapshot snapshot() {
		List<String> copy = texts();
		return (output) -> {
			DataOutputStream data = new DataOutputStream(output);
			data.writeInt(copy.size());
			for (String text : copy) {
				data.writeUTF(text);
			}
		};
	}

	@Override
	public synchronized void restore(long index, Path file, InputStream input) throws IOException {
		DataInputStream data = new DataInputStream(input);
		this.texts.clear();
		this.restored = data.readInt();
		for (int i = 0; i < this.restored; i++) {
			this.texts.add(data.readUTF());
		}
		this.lastIndex = index;
	}

	@Override
	public void leading(long term) {
		this.led = true;
		if (this.refusesToLead) {
			throw new IllegalStateException("The machine cannot lead");
		}
	}

	@Override
	public void failed(Throwable failure) {
		this.failed = true;
	}

}
