package io.statestore.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * In-memory state store without a network (protocol sections 2 and 5). Replies on the
 * calling thread. A test can replace its replies.
 */
public final class InMemoryStateStore implements CommandInvoker {

	final List<Command> commands = new ArrayList<>();

	final List<Options> options = new ArrayList<>();

	private final TreeMap<Bytes, Stored> entries = new TreeMap<>();

	private final HybridLogicalClock clock = new HybridLogicalClock("StateStore", () -> 1_700_000_000_000L);

	private Duration now = Duration.ZERO;

	private int pageSize = 100;

	private boolean emptyPages;

	private @Nullable BiFunction<Command, Options, CompletableFuture<Response>> answer;

	/** Advances the time. */
	void pass(Duration time) {
		this.now = this.now.plus(time);
		this.entries.values()
			.removeIf((stored) -> stored.deadline() != null && stored.deadline().compareTo(this.now) <= 0);
	}

	InMemoryStateStore pageSize(int pageSize) {
		this.pageSize = pageSize;
		return this;
	}

	/** Sends an empty page with a token before every other page. */
	InMemoryStateStore emptyPages() {
		this.emptyPages = true;
		return this;
	}

	void answer(CompletableFuture<Response> response) {
		this.answer = (command, options) -> response;
	}

	void answer(Reply reply, @Nullable Version version) {
		answer(CompletableFuture.completedFuture(new Response(reply, version)));
	}

	void answer(Throwable failure) {
		answer(CompletableFuture.failedFuture(failure));
	}

	/** Fails the given number of calls, then replies from the entries. */
	void failTimes(int count, Throwable failure) {
		int[] left = { count };
		this.answer = (command, options) -> {
			if (--left[0] == 0) {
				answerAgain();
			}
			return CompletableFuture.failedFuture(failure);
		};
	}

	/** Replies from the entries again. */
	void answerAgain() {
		this.answer = null;
	}

	Bytes stored(String key) {
		return Objects.requireNonNull(this.entries.get(Bytes.of(key))).value();
	}

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		this.commands.add(command);
		this.options.add(options);
		if (this.answer != null) {
			return this.answer.apply(command, options);
		}
		try {
			return CompletableFuture.completedFuture(apply(command, options.fencingToken()));
		}
		catch (StateStoreRefusedException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private Response apply(Command command, @Nullable FencingToken token) {
		if (command instanceof Command.Get get) {
			Stored stored = this.entries.get(get.key());
			return (stored != null) ? new Response(new Reply.Value(stored.value()), stored.version())
					: new Response(new Reply.Missing(), null);
		}
		if (command instanceof Command.Scan scan) {
			return scan(scan);
		}
		Command.Write write = (Command.Write) command;
		Stored stored = this.entries.get(write.key());
		requireToken(stored, token);
		if (command instanceof Command.Set set) {
			return set(set, stored, token);
		}
		if (command instanceof Command.Increment increment) {
			long sum = increment.sum((stored != null) ? stored.value() : null);
			Duration deadline = (stored != null) ? stored.deadline()
					: (increment.expiry() != null) ? this.now.plus(increment.expiry()) : null;
			Stored next = new Stored(Bytes.of(Long.toString(sum)), this.clock.tick(), deadline, token);
			this.entries.put(increment.key(), next);
			return new Response(new Reply.Count(sum), next.version());
		}
		if (stored == null) {
			return new Response(new Reply.Count(0), null);
		}
		if (command instanceof Command.VDel vdel && !vdel.value().equals(stored.value())) {
			return new Response(Reply.Count.NOT_APPLIED, stored.version());
		}
		this.entries.remove(write.key());
		return new Response(new Reply.Count(1), this.clock.tick());
	}

	private Response set(Command.Set set, @Nullable Stored stored, @Nullable FencingToken token) {
		boolean replaces = set.condition() == Condition.IF_VERSION;
		if (replaces && (stored == null || !Bytes.of(stored.version().toString()).equals(set.expected()))) {
			return new Response(Reply.Count.NOT_APPLIED, (stored != null) ? stored.version() : null);
		}
		if (stored != null && !replaces && set.condition() != Condition.ALWAYS
				&& !(set.condition() == Condition.IF_ABSENT_OR_EQUAL && stored.value().equals(set.value()))) {
			return new Response(Reply.Count.NOT_APPLIED, stored.version());
		}
		Duration deadline = (set.expiry() != null) ? this.now.plus(set.expiry()) : null;
		Stored next = new Stored(set.value(), this.clock.tick(), deadline, token);
		this.entries.put(set.key(), next);
		return new Response(new Reply.Ok(), next.version());
	}

	private static void requireToken(@Nullable Stored stored, @Nullable FencingToken token) {
		if (stored != null && stored.token() != null) {
			if (token == null) {
				throw refused(ErrorReason.FENCING_TOKEN_REQUIRED);
			}
			if (token.compareTo(stored.token()) < 0) {
				throw refused(ErrorReason.FENCING_TOKEN_LOWER_VERSION);
			}
		}
	}

	private static StateStoreRefusedException refused(ErrorReason reason) {
		return new StateStoreRefusedException(reason, reason.text());
	}

	/** Returns a page. A token is the last key, after a byte that marks an empty page. */
	private Response scan(Command.Scan scan) {
		Bytes token = scan.token();
		if (this.emptyPages && (token == null || token.at(0) == 0)) {
			return new Response(new Reply.Page(List.of(), token(1, token)), null);
		}
		Bytes after = (token == null || token.length() == 1) ? Bytes.EMPTY : token.slice(1, token.length());
		Pattern pattern = Pattern.compile(scan.pattern().toUtf8().replace("*", ".*").replace('?', '.'));
		List<Bytes> keys = this.entries.tailMap(after, false)
			.keySet()
			.stream()
			.filter((key) -> pattern.matcher(key.toUtf8()).matches())
			.toList();
		if (keys.size() <= this.pageSize) {
			return new Response(new Reply.Page(keys, null), null);
		}
		List<Bytes> page = keys.subList(0, this.pageSize);
		return new Response(new Reply.Page(page, tokenAfter(page.get(page.size() - 1))), null);
	}

	private static Bytes token(int kind, @Nullable Bytes previous) {
		byte[] token = (previous != null) ? previous.toArray() : new byte[1];
		token[0] = (byte) kind;
		return Bytes.wrap(token);
	}

	private static Bytes tokenAfter(Bytes key) {
		byte[] token = new byte[key.length() + 1];
		key.copyTo(token, 1);
		return Bytes.wrap(token);
	}

	private record Stored(Bytes value, Version version, @Nullable Duration deadline, @Nullable FencingToken token) {
	}

}
