package io.statestore.cluster;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.UserProperties;

/** A client's connection to a server. */
final class StoreClient implements ClientConnection {

	private static final UserProperty TIMESTAMP = new UserProperty(UserProperties.TIMESTAMP, "1000:0:client");

	private static final AtomicInteger requests = new AtomicInteger();

	private final StateStoreServer server;

	private final String clientId;

	private final ClientShare memory = MemoryBudget.unlimited().open();

	private final Map<Bytes, CompletableFuture<Reply>> replies = new ConcurrentHashMap<>();

	private final Map<Bytes, CompletableFuture<Bytes>> answers = new ConcurrentHashMap<>();

	StoreClient(StateStoreServer server, String clientId) {
		this.server = server;
		this.clientId = clientId;
		server.connected(this);
	}

	static Bytes correlation() {
		return Bytes.of("request " + requests.incrementAndGet());
	}

	CompletableFuture<Reply> send(Command command) {
		return send(command, correlation());
	}

	/** Sends a request. The future never fails. */
	CompletableFuture<Reply> send(Command command, Bytes correlation) {
		CompletableFuture<Reply> reply = new CompletableFuture<>();
		this.replies.put(correlation, reply);
		this.server.request(new IncomingRequest(this, 1, "clients/" + this.clientId + "/response", correlation, null,
				List.of(TIMESTAMP), Bytes.copyOf(Commands.encode(command)), (reasonCode) -> {
				}));
		return reply;
	}

	/** Requests and returns a page of the history. */
	AdministrationPage<StoredChange> page(HistoryQuery query) throws Exception {
		Bytes correlation = correlation();
		CompletableFuture<Bytes> answer = new CompletableFuture<>();
		this.answers.put(correlation, answer);
		this.server.administer(new IncomingRequest(this, 1, "clients/" + this.clientId + "/response", correlation, null,
				List.of(TIMESTAMP), Bytes.wrap(Administration.encode(query)), (reasonCode) -> {
				}), false);
		return Administration.decodePage(StoredChange.class, answer.get(20, TimeUnit.SECONDS));
	}

	/** Sends a request, and waits for its reply. */
	Reply call(Command command) throws Exception {
		return send(command).get(20, TimeUnit.SECONDS);
	}

	@Override
	public String clientId() {
		return this.clientId;
	}

	@Override
	public ClientShare memory() {
		return this.memory;
	}

	@Override
	public void send(OutgoingMessage message) {
		if (message.kind() == OutgoingMessage.Kind.REPLY) {
			CompletableFuture<Reply> reply = this.replies.remove(Objects.requireNonNull(message.correlationData()));
			CompletableFuture<Bytes> answer = this.answers.remove(message.correlationData());
			if (answer != null) {
				answer.complete(Bytes.copyOf(message.payload()));
			}
			if (reply != null) {
				reply.complete(Replies.decode(Bytes.copyOf(message.payload())));
			}
		}
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		throw new AssertionError(reason);
	}

}
