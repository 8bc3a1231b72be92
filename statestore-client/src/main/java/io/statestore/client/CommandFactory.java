package io.statestore.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.internal.WriteGuard;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Creates the commands of blocking and asynchronous operations, and checks the
 * operations' arguments. Immutable.
 *
 * @param options default options of the commands
 * @param connection undecorated invoker, which identifies the connection
 * @param defaultExpiry expiry of writes that do not set their own, {@code null} for no
 * expiry
 * @param guarded whether to check writes without a fencing token against the locks that
 * the calling thread holds
 */
record CommandFactory(Values values, Options options, CommandInvoker connection, KeyPrefix prefix,
		@Nullable Duration defaultExpiry, boolean guarded) {

	CommandFactory fencedBy(FencingToken token) {
		return with(new Options(Arguments.notNull("token", token), this.options.persistent(), this.options.timeout()));
	}

	CommandFactory withTimeout(Duration timeout) {
		Duration millis = Arguments.millis("timeout", timeout, "Omit withTimeout to use the timeout of the connection");
		return with(optionsWithin(millis));
	}

	private CommandFactory with(Options options) {
		return new CommandFactory(this.values, options, this.connection, this.prefix, this.defaultExpiry, this.guarded);
	}

	CommandFactory withPrefix(KeyPrefix prefix) {
		return new CommandFactory(this.values, this.options, this.connection, prefix, this.defaultExpiry, this.guarded);
	}

	CommandFactory withDefaultExpiry(@Nullable Duration expiry) {
		Duration millis = (expiry != null) ? Arguments.optionMillis("defaultExpiry", expiry) : null;
		return new CommandFactory(this.values, this.options, this.connection, this.prefix, millis, this.guarded);
	}

	CommandFactory unguarded() {
		return new CommandFactory(this.values, this.options, this.connection, this.prefix, this.defaultExpiry, false);
	}

	Options optionsWithin(Duration timeout) {
		return within(this.options, timeout);
	}

	private static Options within(Options options, Duration timeout) {
		return new Options(options.fencingToken(), options.persistent(), timeout);
	}

	/**
	 * Returns the timeout of the commands, or {@code null} for the connection's timeout.
	 */
	@Nullable Duration timeout() {
		return this.options.timeout();
	}

	<T> TypedCommand<Optional<Entry<T>>> get(Key key, Type type) {
		Arguments.notNull("type", type);
		Key stored = this.prefix.stored(key);
		Command command = new Command.Get(stored.bytes());
		return new TypedCommand<>(command, this.options, (response) -> {
			if (response.reply() instanceof Reply.Missing) {
				return Optional.empty();
			}
			if (response.reply() instanceof Reply.Value value) {
				Version version = requireVersion(command, response);
				return Optional.of(new Entry<>(key, this.values.read(stored, value.value(), version, type), version));
			}
			throw unexpected(command, response);
		});
	}

	TypedCommand<Optional<Duration>> timeToLive(Key key) {
		Command command = new Command.Ttl(this.prefix.stored(key).bytes());
		return new TypedCommand<>(command, this.options, (response) -> {
			if (response.reply() instanceof Reply.Count count) {
				return Optional.of(count)
					.map(Reply.Count::number)
					.filter((millis) -> millis >= 0)
					.map(Duration::ofMillis);
			}
			if (response.reply() instanceof Reply.Missing) {
				return Optional.empty();
			}
			throw unexpected(command, response);
		});
	}

	TypedCommand<SetResult> set(Key key, Object value, Consumer<SetSpec> customizer) {
		Key stored = this.prefix.stored(key);
		SetSpec spec = new SetSpec();
		Arguments.notNull("spec", customizer).accept(spec);
		Options options = spec.toOptions(this.options);
		Command.Write command = spec.toCommand(stored.bytes(), this.values.write(stored, value),
				defaultExpiry(options));
		return new TypedCommand<>(command, checked(command, options), (response) -> {
			boolean applied = response.reply() instanceof Reply.Ok;
			if (!applied && !response.reply().equals(Reply.Count.NOT_APPLIED)) {
				throw unexpected(command, response);
			}
			return new SetResult(applied, requireVersion(command, response));
		});
	}

	TypedCommand<Replacement> replace(Key key, Object value, Version expected) {
		Key stored = this.prefix.stored(key);
		Bytes version = Bytes.of(Arguments.notNull("expected", expected).toString());
		Command.Write command = new Command.Set(stored.bytes(), this.values.write(stored, value), Condition.IF_VERSION,
				null, version);
		return new TypedCommand<>(command, checked(command, this.options), (response) -> {
			if (response.reply() instanceof Reply.Ok) {
				return new Replacement(requireVersion(command, response), null);
			}
			if (response.reply() instanceof Reply.Value present) {
				return new Replacement(null, new Entry<>(key, present.value(), requireVersion(command, response)));
			}
			if (response.reply() instanceof Reply.Count || response.reply() instanceof Reply.Missing) {
				return new Replacement(null, null);
			}
			throw unexpected(command, response);
		});
	}

	/**
	 * Returns the default expiry of a write. A key's fence is removed with the key, so a
	 * fenced key has none.
	 */
	private @Nullable Duration defaultExpiry(Options options) {
		return (options.fencingToken() == null) ? this.defaultExpiry : null;
	}

	TypedCommand<Long> increment(Key key, long delta) {
		Command.Write command = new Command.Increment(this.prefix.stored(key).bytes(), delta,
				defaultExpiry(this.options));
		return new TypedCommand<>(command, checked(command, this.options), (response) -> {
			if (response.reply() instanceof Reply.Count sum) {
				return sum.number();
			}
			throw unexpected(command, response);
		});
	}

	<T> T read(Key key, Entry<Bytes> entry, Class<T> type) {
		return this.values.read(this.prefix.stored(key), entry.value(), entry.version(), type);
	}

	TypedCommand<DeleteResult> delete(Key key) {
		Command.Write command = new Command.Del(this.prefix.stored(key).bytes());
		return new TypedCommand<>(command, checked(command, this.options), (response) -> deleted(command, response));
	}

	TypedCommand<DeleteResult> deleteIfEquals(Key key, Object expected) {
		Key stored = this.prefix.stored(key);
		Command.Write command = new Command.VDel(stored.bytes(), this.values.write(stored, expected));
		return new TypedCommand<>(command, checked(command, this.options),
				(response) -> response.reply().equals(Reply.Count.NOT_APPLIED)
						? new DeleteResult(Outcome.DIFFERENT, response.version()) : deleted(command, response));
	}

	private Options checked(Command.Write command, Options options) {
		if (!this.guarded || options.fencingToken() != null) {
			return options;
		}
		Duration timeout = (options.timeout() != null) ? options.timeout() : this.connection.limits().timeout();
		Duration checked = WriteGuard.check(this.connection, command, timeout);
		return checked.equals(timeout) ? options : within(options, checked);
	}

	TypedCommand<KeyPage> scan(String pattern, @Nullable Bytes token) {
		Bytes bytes = Arguments.utf8("pattern", pattern);
		Arguments.require(!bytes.isEmpty(), "'pattern' must not be empty: it would match no key. Use * for all keys");
		Bytes prefixed = this.prefix.isEmpty() ? bytes : this.prefix.stored(new Key(bytes)).bytes();
		Command command = new Command.Scan(prefixed, token);
		return new TypedCommand<>(command, this.options, (response) -> {
			if (response.reply() instanceof Reply.Page page) {
				return new KeyPage(page.keys().stream().map(this.prefix::local).filter(Objects::nonNull).toList(),
						page.token());
			}
			throw unexpected(command, response);
		});
	}

	private static DeleteResult deleted(Command command, Response response) {
		if (response.reply() instanceof Reply.Count count) {
			if (count.number() == 1) {
				return new DeleteResult(Outcome.DELETED, response.version());
			}
			if (count.number() == 0) {
				return new DeleteResult(Outcome.ABSENT, null);
			}
		}
		throw unexpected(command, response);
	}

	private static Version requireVersion(Command command, Response response) {
		Version version = response.version();
		if (version == null) {
			throw invalid(command, "came without a version (user property __ts)");
		}
		return version;
	}

	private static StateStoreException unexpected(Command command, Response response) {
		return invalid(command,
				"is a " + response.reply().getClass().getSimpleName() + ", which is not a valid reply to this command");
	}

	/**
	 * Returns the failure of a call whose reply violates the protocol. If the command is
	 * a write, its outcome is unknown.
	 */
	private static StateStoreException invalid(Command command, String problem) {
		String message = "The reply to " + TypedCommand.describe(command) + " " + problem
				+ ". Check that the server at this broker is a state store";
		return (command instanceof Command.Write) ? new StateStoreOutcomeUnknownException(message)
				: new StateStoreException(message);
	}

	/**
	 * Outcome of a REPLACE command.
	 *
	 * @param version the new version, {@code null} if the key does not have the expected
	 * version
	 * @param present the current entry, {@code null} if REPLACE succeeded or if the
	 * caller must read the entry
	 */
	record Replacement(@Nullable Version version, @Nullable Entry<Bytes> present) {
	}

}
