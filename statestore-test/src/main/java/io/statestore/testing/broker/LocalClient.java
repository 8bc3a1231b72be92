package io.statestore.testing.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Client in the store's process, without MQTT. Faults do not affect it. Not thread-safe.
 */
final class LocalClient implements ClientConnection, AutoCloseable {

	private static final String ID = "statestore-test";

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final ClientShare memory = MemoryBudget.unlimited().open();

	private final StateStoreServer server;

	private final LongSupplier wallClock;

	/** Completed by the reply to the only call in flight. */
	private volatile CompletableFuture<OutgoingMessage> reply = new CompletableFuture<>();

	LocalClient(StateStoreServer server, LongSupplier wallClock) {
		this.server = server;
		this.wallClock = wallClock;
		server.connected(this);
	}

	/**
	 * Executes a command.
	 * @param token fencing token; {@code null} to send none
	 * @return the reply with its version
	 * @throws IllegalStateException if the store does not reply
	 */
	Result execute(Command command, @Nullable Version token) {
		// Unique, because the store answers a repeated request without executing it.
		Bytes correlationData = Bytes.of(UUID.randomUUID().toString());
		this.reply = new CompletableFuture<>();
		List<UserProperty> properties = new ArrayList<>();
		Version now = new Version(this.wallClock.getAsLong(), 0, ID);
		properties.add(new UserProperty(UserProperties.TIMESTAMP, now.toPaddedString()));
		if (token != null) {
			properties.add(new UserProperty(UserProperties.FENCING_TOKEN, token.toPaddedString()));
		}
		this.server.request(new IncomingRequest(this, 1, Topics.response(ID), correlationData, null, properties,
				Bytes.wrap(Commands.encode(command)), (reasonCode) -> {
				}));
		try {
			return Result.of(this.reply.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (Exception ex) {
			throw new IllegalStateException("The store of the test has not replied to a command", ex);
		}
	}

	@Override
	public String clientId() {
		return ID;
	}

	@Override
	public ClientShare memory() {
		return this.memory;
	}

	@Override
	public void send(OutgoingMessage message) {
		this.reply.complete(message);
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		this.reply.completeExceptionally(new IllegalStateException(reason));
	}

	@Override
	public void close() {
		this.server.disconnected(this);
		this.memory.close();
	}

	/**
	 * Reply to a command.
	 *
	 * @param version version in the reply; {@code null} if it has none
	 */
	record Result(Reply reply, @Nullable Version version) {

		static Result of(OutgoingMessage message) {
			Version version = message.userProperties()
				.stream()
				.filter((property) -> property.name().equals(UserProperties.TIMESTAMP))
				.findFirst()
				.map((property) -> Version.parse(property.value()))
				.orElse(null);
			return new Result(Replies.decode(Bytes.wrap(message.payload())), version);
		}

	}

}
