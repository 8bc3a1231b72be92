package io.statestore.broker.crash;

import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;

import io.statestore.broker.crash.Workload.Request;
import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;

/** A request in flight. */
public final class Pending {

	private static final long MESSAGE_EXPIRY_SECONDS = 60;

	private final String clientId;

	private final Request request;

	private final RawPublish publish;

	private long invoked = System.nanoTime();

	private @Nullable RawPublish reply;

	private boolean acknowledged;

	/**
	 * Creates a request.
	 * @param wallMillis time by the client's system clock, in milliseconds
	 */
	public Pending(String clientId, int packetId, Request request, long wallMillis) {
		this.clientId = clientId;
		this.request = request;
		this.publish = RawPublish.of((message) -> {
			message.topic = Topics.REQUEST;
			message.packetId = packetId;
			message.payload = Commands.encode(request.command());
			message.responseTopic = Topics.response(clientId);
			message.correlationData = Bytes.of(UUID.randomUUID().toString().substring(0, 16)).toArray();
			message.messageExpiry = MESSAGE_EXPIRY_SECONDS;
			message.at(new Version(wallMillis, 0, clientId).toPaddedString());
		});
		if (request.token() != null) {
			this.publish.with(UserProperties.FENCING_TOKEN, request.token().toString());
		}
	}

	public Bytes correlationData() {
		return Bytes.copyOf(this.publish.correlationData);
	}

	/** Returns whether the request's outcome is recorded for the checks. */
	boolean isRecorded() {
		return !(this.request.command() instanceof Command.KeyNotify);
	}

	/** Returns whether a repetition must get the same answer as the first request. */
	public boolean isRemembered() {
		return this.request.command() instanceof Command.Write;
	}

	/** Returns the request's PUBLISH packet. */
	public RawPublish publish() {
		return this.publish;
	}

	/** Returns the PUBLISH packet for a repetition. */
	RawPublish duplicate() {
		this.publish.dup = true;
		if (isRejected()) {
			// The store does not remember a reply that it could not write, so this is a
			// new attempt.
			this.reply = null;
			this.invoked = System.nanoTime();
		}
		return this.publish;
	}

	private boolean isRejected() {
		return this.reply != null && Replies.decode(Bytes.copyOf(this.reply.payload)) instanceof Reply.Error error
				&& error.reason() == ErrorReason.QUOTA_EXCEEDED;
	}

	/** Returns the reply, or {@code null} if there is none yet. */
	public @Nullable RawPublish reply() {
		return this.reply;
	}

	public void replied(RawPublish reply) {
		this.reply = reply;
	}

	void acknowledged() {
		this.acknowledged = true;
	}

	boolean isComplete() {
		return this.reply != null && this.acknowledged;
	}

	/** Returns whether another reply differs from the first reply. */
	boolean differsFrom(RawPublish other) {
		return this.reply != null && !(Arrays.equals(this.reply.payload, other.payload)
				&& String.valueOf(version(this.reply)).equals(String.valueOf(version(other))));
	}

	/** Returns the operation, with the reply that has just arrived. */
	public Operation answered() {
		RawPublish reply = Objects.requireNonNull(this.reply);
		return new Operation(this.clientId, this.request.command(), this.request.token(), this.invoked,
				System.nanoTime(), Replies.decode(Bytes.copyOf(reply.payload)), version(reply));
	}

	/**
	 * Returns the operation, with an unknown outcome.
	 * @param latest latest time at which the operation can take effect
	 */
	public Operation unanswered(long latest) {
		return new Operation(this.clientId, this.request.command(), this.request.token(), this.invoked, latest, null,
				null);
	}

	/** Returns the version in a reply or notification. */
	public static @Nullable Version version(RawPublish message) {
		String text = message.userProperty(UserProperties.TIMESTAMP);
		return (text != null) ? Version.parse(text) : null;
	}

	@Override
	public String toString() {
		return unanswered(Operation.NEVER) + ((this.reply != null) ? " answered" : "")
				+ (this.publish.dup ? " repeated" : "") + (this.acknowledged ? " acknowledged" : "") + ", packet "
				+ this.publish.packetId;
	}

}
