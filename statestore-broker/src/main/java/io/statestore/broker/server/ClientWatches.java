package io.statestore.broker.server;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The connected clients' watches (protocol section 6). Watches belong to connections, so
 * they are not in the command log. Used only within the serial executor.
 */
final class ClientWatches {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ClientWatches.class));

	private static final Answer OK = new Answer(new Reply.Ok(), null);

	private static final Answer NOTHING = new Answer(new Reply.Count(0), null);

	/** Maximum memory for the replies to a connection's recent requests, in bytes. */
	private static final int MAX_REPLY_BYTES = 8 * 1024;

	private final Watches watches;

	private final WatcherAccess access;

	private final StateMachine machine;

	private final Proposer proposer;

	private final Messages messages;

	private final StateStoreServerCounters counters;

	/** Replies to recent requests of open connections. */
	private final Map<ClientConnection, RecentReplies> replies = new IdentityHashMap<>();

	private long replyCount;

	private long replyBytes;

	ClientWatches(Watches watches, WatcherAccess access, Proposer proposer, Messages messages,
			StateStoreServerCounters counters) {
		this.watches = watches;
		this.access = access;
		this.machine = proposer.machine();
		this.proposer = proposer;
		this.messages = messages;
		this.counters = counters;
	}

	/**
	 * Executes a KEYNOTIFY or PNOTIFY request, unless it is redelivered.
	 * @param now current time in nanoseconds
	 * @return the answer
	 */
	Answer answer(Call call, Command command, long now) {
		ClientConnection connection = call.request().connection();
		RecentReplies recent = this.replies.computeIfAbsent(connection, (absent) -> new RecentReplies(MAX_REPLY_BYTES));
		Answer remembered = recent.find(call, now);
		if (remembered != null) {
			this.counters.countReplayed();
			return remembered;
		}
		Answer answer = execute(connection, command);
		this.proposer.receive(call.timestamp());
		this.replyCount -= recent.count();
		this.replyBytes -= recent.bytes();
		recent.add(call, answer, now);
		this.replyCount += recent.count();
		this.replyBytes += recent.bytes();
		return answer;
	}

	private Answer execute(ClientConnection connection, Command command) {
		if (command instanceof Command.PatternNotify notify) {
			return startPattern(connection, notify.pattern());
		}
		if (command instanceof Command.PatternNotifyStop stop) {
			return stopPattern(connection, stop.pattern());
		}
		return (command instanceof Command.KeyNotify keyNotify) ? start(connection, keyNotify.key())
				: stop(connection, ((Command.KeyNotifyStop) command).key());
	}

	/**
	 * Starts watching a pattern. Answers OK if the watch is new and may therefore have
	 * missed earlier changes.
	 */
	private Answer startPattern(ClientConnection connection, Bytes text) {
		GlobPattern pattern;
		try {
			pattern = GlobPattern.ofWatch(text);
		}
		catch (ProtocolException ex) {
			return Answer.refused(ex.reason());
		}
		if (!this.watches.addPattern(connection, text, pattern)) {
			return NOTHING;
		}
		if (!connection.memory().tryReserve(MemoryUse.OBSERVATION, Watches.patternCost(text))) {
			this.watches.removePattern(connection, text);
			this.counters.countRefused();
			return Answer.refused(ErrorReason.QUOTA_EXCEEDED);
		}
		return OK;
	}

	private Answer stopPattern(ClientConnection connection, Bytes text) {
		if (!this.watches.removePattern(connection, text)) {
			return NOTHING;
		}
		connection.memory().release(MemoryUse.OBSERVATION, Watches.patternCost(text));
		return OK;
	}

	private Answer start(ClientConnection connection, Bytes key) {
		if (!Topics.isWatchable(connection.clientId(), key)) {
			return Answer.refused(ErrorReason.SYNTAX_ERROR);
		}
		if (this.watches.contains(connection, key)) {
			return OK;
		}
		if (!reserve(connection, key)) {
			this.counters.countRefused();
			return Answer.refused(ErrorReason.QUOTA_EXCEEDED);
		}
		this.watches.add(connection, key);
		connection.watching(key);
		return OK;
	}

	private Answer stop(ClientConnection connection, Bytes key) {
		if (!this.watches.remove(connection, key)) {
			return NOTHING;
		}
		connection.memory().release(MemoryUse.OBSERVATION, Watches.cost(key));
		connection.watchEnded(key);
		return OK;
	}

	void disconnected(ClientConnection connection) {
		this.watches.removeAll(connection);
		RecentReplies recent = this.replies.remove(connection);
		if (recent != null) {
			this.replyCount -= recent.count();
			this.replyBytes -= recent.bytes();
		}
	}

	/** Resumes a watch unless the client has already restarted it. */
	void resume(ClientConnection connection, Bytes key) {
		if (this.watches.contains(connection, key)) {
			return;
		}
		boolean watchable = Topics.isWatchable(connection.clientId(), key);
		if (!watchable || !reserve(connection, key)) {
			if (watchable) {
				this.counters.countRefused();
			}
			clientLog.warn("Ended a watch of client '{}': {}", connection.clientId(),
					watchable ? "its memory is exhausted. Raise --memory-per-client or --client-memory"
							: "the key is too long for the topic of its notifications");
			connection.watchEnded(key);
			return;
		}
		this.watches.add(connection, key);
		if (this.access.permits(connection, key)) {
			connection.watching(key);
			renotify(connection, key);
		}
	}

	/**
	 * Notifies a watcher of a key's current value or of its deletion. A deletion gets a
	 * new version, because the version of the original deletion is not known.
	 */
	void renotify(ClientConnection connection, Bytes key) {
		if (watches(connection, key) && !notifyValue(connection, key)) {
			this.proposer.issue((answer) -> notifyNow(connection, key, answer.version()),
					() -> notifyNow(connection, key, null));
		}
	}

	/**
	 * Notifies a watcher after a version has been issued.
	 * @param issued the version, or {@code null} if the request for a version was
	 * rejected
	 */
	private void notifyNow(ClientConnection connection, Bytes key, @Nullable Version issued) {
		if (watches(connection, key) && !notifyValue(connection, key)) {
			Version version = (issued != null) ? issued : this.proposer.lastVersion();
			this.messages.notify(key, null, version, List.of(connection));
		}
	}

	/** Returns whether a client watches a key and is still permitted to. */
	private boolean watches(ClientConnection connection, Bytes key) {
		return this.watches.covers(connection, key) && this.access.permits(connection, key);
	}

	private boolean notifyValue(ClientConnection connection, Bytes key) {
		Answer answer = this.machine.read(new Command.Get(key));
		if (!(answer.reply() instanceof Reply.Value value) || answer.version() == null) {
			return false;
		}
		this.messages.notify(key, value.value(), answer.version(), List.of(connection));
		return true;
	}

	private static boolean reserve(ClientConnection connection, Bytes key) {
		return connection.memory().tryReserve(MemoryUse.OBSERVATION, Watches.cost(key));
	}

	/** Returns the number of watched keys. */
	int keyCount() {
		return this.watches.keyCount();
	}

	/** Returns the number of remembered replies on all connections. */
	long replyCount() {
		return this.replyCount;
	}

	/** Returns the estimated memory of remembered replies, in bytes. */
	long replyBytes() {
		return this.replyBytes;
	}

}
