package io.statestore.broker.artemis.disk;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.artemis.disk.SessionChange.Acknowledged;
import io.statestore.broker.artemis.disk.SessionChange.Clock;
import io.statestore.broker.artemis.disk.SessionChange.Confirmed;
import io.statestore.broker.artemis.disk.SessionChange.Ended;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
import io.statestore.broker.artemis.disk.SessionChange.Owned;
import io.statestore.broker.artemis.disk.SessionChange.Received;
import io.statestore.broker.artemis.disk.SessionChange.Released;
import io.statestore.broker.artemis.disk.SessionChange.Sent;
import io.statestore.broker.artemis.disk.SessionChange.Subscribed;
import io.statestore.broker.artemis.disk.SessionChange.Unsubscribed;

/**
 * Binary form of changes. A record contains the changes that are written together, each
 * with its type, the client id, and its values.
 */
final class SessionChangeCodec {

	private static final int NO_IDENTIFIER = -1;

	private SessionChangeCodec() {
	}

	static byte[] encode(List<? extends SessionChange> changes) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		DataOutputStream output = new DataOutputStream(bytes);
		try {
			for (SessionChange change : changes) {
				write(change, output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	private static void write(SessionChange change, DataOutputStream output) throws IOException {
		Type type = Type.of(change);
		output.writeByte(type.ordinal());
		writeText(output, change.clientId());
		if (change instanceof Kept kept) {
			output.writeInt(kept.expirySeconds());
			output.writeLong(kept.detachedAt());
		}
		else if (change instanceof Subscribed subscribed) {
			StoredSubscription subscription = subscribed.subscription();
			writeText(output, subscription.filter());
			output.writeByte(subscription.qos());
			output.writeBoolean(subscription.noLocal());
			output.writeBoolean(subscription.retainAsPublished());
			output.writeByte(subscription.retainHandling());
			Integer identifier = subscription.identifier();
			output.writeInt((identifier != null) ? identifier : NO_IDENTIFIER);
		}
		else if (change instanceof Unsubscribed unsubscribed) {
			writeText(output, unsubscribed.filter());
		}
		else if (change instanceof Received received) {
			output.writeInt(received.packetId());
		}
		else if (change instanceof Released released) {
			output.writeInt(released.packetId());
		}
		else if (change instanceof Sent sent) {
			output.writeInt(sent.packetId());
			output.writeLong(sent.message().messageId());
			writeText(output, sent.message().queue());
			output.writeBoolean(sent.message().exactlyOnce());
		}
		else if (change instanceof Confirmed confirmed) {
			output.writeInt(confirmed.packetId());
		}
		else if (change instanceof Acknowledged acknowledged) {
			output.writeInt(acknowledged.packetId());
		}
		else if (change instanceof Owned owned) {
			writeText(output, owned.owner());
		}
		else if (change instanceof Clock clock) {
			output.writeLong(clock.millis());
		}
	}

	private static void writeText(DataOutputStream output, String text) throws IOException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		output.writeInt(bytes.length);
		output.write(bytes);
	}

	/**
	 * Decodes a record.
	 * @param record the record, whose checksum is correct
	 * @return the changes in their order
	 * @throws IllegalStateException if the record contains a type of change that this
	 * version does not know
	 */
	static List<SessionChange> decode(ByteBuffer record) {
		List<SessionChange> changes = new ArrayList<>();
		while (record.hasRemaining()) {
			changes.add(read(record));
		}
		return changes;
	}

	private static SessionChange read(ByteBuffer record) {
		Type type = Type.of(record.get());
		String clientId = readText(record);
		return switch (type) {
			case KEPT -> new Kept(clientId, record.getInt(), record.getLong());
			case ENDED -> new Ended(clientId);
			case SUBSCRIBED -> new Subscribed(clientId, readSubscription(record));
			case UNSUBSCRIBED -> new Unsubscribed(clientId, readText(record));
			case RECEIVED -> new Received(clientId, record.getInt());
			case RELEASED -> new Released(clientId, record.getInt());
			case SENT -> new Sent(clientId, record.getInt(),
					new SentMessage(record.getLong(), readText(record), record.get() != 0));
			case CONFIRMED -> new Confirmed(clientId, record.getInt());
			case ACKNOWLEDGED -> new Acknowledged(clientId, record.getInt());
			case CLOCK -> new Clock(record.getLong());
			case OWNED -> new Owned(clientId, readText(record));
		};
	}

	private static StoredSubscription readSubscription(ByteBuffer record) {
		String filter = readText(record);
		int qos = record.get();
		boolean noLocal = record.get() != 0;
		boolean retainAsPublished = record.get() != 0;
		int retainHandling = record.get();
		int identifier = record.getInt();
		return new StoredSubscription(filter, qos, noLocal, retainAsPublished, retainHandling,
				(identifier != NO_IDENTIFIER) ? identifier : null);
	}

	private static String readText(ByteBuffer record) {
		byte[] bytes = new byte[record.getInt()];
		record.get(bytes);
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/** Types of changes. Their order is part of the format. */
	private enum Type {

		KEPT, ENDED, SUBSCRIBED, UNSUBSCRIBED, RECEIVED, RELEASED, SENT, ACKNOWLEDGED, CLOCK, CONFIRMED, OWNED;

		private static final Type[] values = values();

		static Type of(byte ordinal) {
			if (ordinal < 0 || ordinal >= values.length) {
				throw new IllegalStateException("The file of the MQTT sessions contains a record of the unknown type "
						+ ordinal + ". Start the version that wrote it, or a newer one");
			}
			return values[ordinal];
		}

		static Type of(SessionChange change) {
			if (change instanceof Kept) {
				return KEPT;
			}
			if (change instanceof Ended) {
				return ENDED;
			}
			if (change instanceof Subscribed) {
				return SUBSCRIBED;
			}
			if (change instanceof Unsubscribed) {
				return UNSUBSCRIBED;
			}
			if (change instanceof Received) {
				return RECEIVED;
			}
			if (change instanceof Released) {
				return RELEASED;
			}
			if (change instanceof Sent) {
				return SENT;
			}
			if (change instanceof Confirmed) {
				return CONFIRMED;
			}
			if (change instanceof Owned) {
				return OWNED;
			}
			return (change instanceof Acknowledged) ? ACKNOWLEDGED : CLOCK;
		}

	}

}
