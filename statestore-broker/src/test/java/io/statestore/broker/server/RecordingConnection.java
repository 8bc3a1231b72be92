package io.statestore.broker.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Notifications;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** A client that records everything it receives, in order. */
final class RecordingConnection implements ClientConnection {

	/** Later connections of a client must not repeat a request by accident. */
	private static final AtomicInteger lastCorrelation = new AtomicInteger();

	/** Messages, acknowledgments, and disconnects in order. */
	final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

	/** Keys whose watches ended before the connection. */
	final List<Bytes> endedWatches = new CopyOnWriteArrayList<>();

	private final StateStoreServer server;

	private final String clientId;

	private final ClientShare memory;

	private final ClientPrincipal principal;

	private volatile boolean failing;

	/**
	 * Selects the keys that this client may read, {@code null} to permit everything.
	 */
	volatile @Nullable Predicate<Bytes> readable;

	RecordingConnection(StateStoreServer server, String clientId) {
		this(server, clientId, MemoryBudget.unlimited().open());
	}

	RecordingConnection(StateStoreServer server, String clientId, ClientShare memory) {
		this(server, clientId, memory, ClientPrincipal.ANONYMOUS);
	}

	private RecordingConnection(StateStoreServer server, String clientId, ClientShare memory,
			ClientPrincipal principal) {
		this.principal = principal;
		this.server = server;
		this.clientId = clientId;
		this.memory = memory;
	}

	/** Returns a connection that is registered with the server. */
	static RecordingConnection to(StateStoreServer server, String clientId) {
		RecordingConnection connection = new RecordingConnection(server, clientId);
		server.connected(connection);
		return connection;
	}

	/** Returns a connection of a client that has logged in. */
	static RecordingConnection to(StateStoreServer server, String clientId, String principal) {
		RecordingConnection connection = new RecordingConnection(server, clientId, MemoryBudget.unlimited().open(),
				ClientPrincipal.of(principal));
		server.connected(connection);
		return connection;
	}

	StateStoreServer server() {
		return this.server;
	}

	@Override
	public String clientId() {
		return this.clientId;
	}

	@Override
	public Permissions permissions() {
		Predicate<Bytes> readable = this.readable;
		return (readable != null) ? new ReadPermissions(readable) : Permissions.ALL;
	}

	@Override
	public ClientPrincipal principal() {
		return this.principal;
	}

	@Override
	public ClientShare memory() {
		return this.memory;
	}

	/** Makes sending the next message fail. */
	void failNextSend() {
		this.failing = true;
	}

	@Override
	public void send(OutgoingMessage message) {
		if (this.failing) {
			this.failing = false;
			throw new IllegalStateException("The message fails");
		}
		this.events.add(message);
	}

	@Override
	public void watchEnded(Bytes key) {
		this.endedWatches.add(key);
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		this.events.add(new Disconnected(reasonCode));
	}

	/** Returns a valid request, which {@link Draft} methods can change. */
	Draft draft(Command command) {
		return new Draft(this, Bytes.of(this.clientId + "-" + lastCorrelation.incrementAndGet()),
				Commands.encode(command));
	}

	/** Sends a request. Returns all events up to its acknowledgment. */
	List<Object> exchange(Draft draft) {
		this.server.request(draft.toRequest());
		List<Object> result = new ArrayList<>();
		// Another thread may execute the request.
		while (result.isEmpty() || !(result.get(result.size() - 1) instanceof Acknowledged)) {
			result.add(take());
		}
		this.events.drainTo(result);
		return result;
	}

	/** Returns the next event. Fails if there is none. */
	Object take() {
		try {
			Object event = this.events.poll(60, TimeUnit.SECONDS);
			assertThat(event).as("an event within a minute").isNotNull();
			return event;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Sends a valid request. Returns its reply, which must be the only message. */
	Received call(Command command) {
		return received(exchange(draft(command)));
	}

	static Received received(List<Object> events) {
		assertThat(events).hasSize(2);
		assertThat(events.get(1)).isEqualTo(new Acknowledged(0));
		return new Received((OutgoingMessage) events.get(0));
	}

	List<Object> takeEvents() {
		List<Object> result = new ArrayList<>();
		this.events.drainTo(result);
		return result;
	}

	record Acknowledged(int reasonCode) {
	}

	record Disconnected(int reasonCode) {
	}

	/** A decoded message. */
	record Received(OutgoingMessage message) {

		Reply reply() {
			assertThat(this.message.kind()).isEqualTo(OutgoingMessage.Kind.REPLY);
			return Replies.decode(Bytes.copyOf(this.message.payload()));
		}

		Notification notification() {
			assertThat(this.message.kind()).isEqualTo(OutgoingMessage.Kind.NOTIFICATION);
			return Notifications.decode(Bytes.copyOf(this.message.payload()));
		}

		@Nullable String property(String name) {
			return this.message.userProperties()
				.stream()
				.filter((property) -> property.name().equals(name))
				.map(UserProperty::value)
				.findFirst()
				.orElse(null);
		}

		Version version() {
			String text = property(UserProperties.TIMESTAMP);
			assertThat(text).isNotNull();
			return Version.parse(text);
		}

	}

	/** A request that has not been sent. */
	static final class Draft {

		private final RecordingConnection connection;

		@Nullable Bytes correlationData;

		byte[] payload;

		int qos = 1;

		@Nullable String responseTopic;

		@Nullable Duration messageExpiry;

		List<UserProperty> userProperties = List.of(new UserProperty(UserProperties.TIMESTAMP, "1000:0:client"));

		Draft(RecordingConnection connection, Bytes correlationData, byte[] payload) {
			this.connection = connection;
			this.correlationData = correlationData;
			this.payload = payload;
			this.responseTopic = "clients/" + connection.clientId + "/response";
		}

		/** Returns the same request, sent on another connection. */
		Draft resentBy(RecordingConnection connection) {
			Draft draft = new Draft(connection, Objects.requireNonNull(this.correlationData), this.payload);
			draft.responseTopic = this.responseTopic;
			draft.userProperties = this.userProperties;
			return draft;
		}

		Draft correlation(String correlationData) {
			this.correlationData = Bytes.of(correlationData);
			return this;
		}

		IncomingRequest toRequest() {
			return new IncomingRequest(this.connection, this.qos, this.responseTopic, this.correlationData,
					this.messageExpiry, this.userProperties, Bytes.copyOf(this.payload),
					(reasonCode) -> this.connection.events.add(new Acknowledged(reasonCode)));
		}

	}

	/** Permissions to only read some keys. */
	private record ReadPermissions(Predicate<Bytes> readable) implements Permissions {

		@Override
		public boolean mayRead(Bytes key) {
			return this.readable.test(key);
		}

		@Override
		public boolean mayWrite(Bytes key) {
			return false;
		}

		@Override
		public boolean maySubscribe(String filter) {
			return false;
		}

		@Override
		public boolean mayPublish(String topic) {
			return false;
		}

		@Override
		public boolean mayAdminister() {
			return false;
		}

	}

}
