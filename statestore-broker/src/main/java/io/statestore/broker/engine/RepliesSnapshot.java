package io.statestore.broker.engine;

import java.util.ArrayDeque;
import java.util.Deque;

import io.statestore.broker.codec.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link StateSnapshot} with the answers to recent requests. The clients
 * are visited one by one. A client's answers are copied when it is visited, or just
 * before they change.
 */
final class RepliesSnapshot {

	/** Number of this snapshot, which marks the clients already copied. */
	private final long number;

	private final ClientReplies[] clients;

	/** Index of the next client to visit. */
	private int position;

	/** Copies of clients that changed before their visit. */
	private final Deque<ClientReplies.Copy> changed = new ArrayDeque<>();

	private ClientReplies.@Nullable Copy client;

	/** Number of the current client's replies that are already encoded. */
	private int encoded;

	/**
	 * Creates a snapshot.
	 * @param clients all clients, in any order
	 */
	RepliesSnapshot(long number, ClientReplies[] clients) {
		this.number = number;
		this.clients = clients;
	}

	/** Excludes a client that was added after the snapshot began. */
	void exclude(ClientReplies client) {
		client.markCopied(this.number);
	}

	/** Copies a client that is about to change, unless it is already copied. */
	void keep(ClientReplies client) {
		if (client.markCopied(this.number)) {
			this.changed.add(client.copy());
		}
	}

	/** Encodes a client or a reply. Returns {@code false} if none is left. */
	boolean encodeNext(Encoder encoder) {
		ClientReplies.Copy current = this.client;
		if (current != null && this.encoded < current.replies().length) {
			encode(current.replies()[this.encoded++], encoder);
			return true;
		}
		ClientReplies.Copy next = nextClient();
		this.client = next;
		this.encoded = 0;
		if (next == null) {
			return false;
		}
		String principal = next.client().principal();
		encoder.writeByte((principal != null) ? StateSnapshot.CLIENT_OF_PRINCIPAL : StateSnapshot.CLIENT);
		if (principal != null) {
			encoder.writeString(principal);
		}
		encoder.writeString(next.client().clientId()).writeNumber(next.order()).writeNumber(next.rank());
		return true;
	}

	private ClientReplies.@Nullable Copy nextClient() {
		while (this.changed.isEmpty() && this.position < this.clients.length) {
			keep(this.clients[this.position++]);
		}
		return this.changed.poll();
	}

	private static void encode(RememberedReply reply, Encoder encoder) {
		encoder.writeByte(StateSnapshot.REPLY).writeBytes(reply.correlationData()).writeInt(reply.digest());
		AnswerCodec.encode(reply.answer(), encoder);
		encoder.writeLong(reply.since());
	}

}
