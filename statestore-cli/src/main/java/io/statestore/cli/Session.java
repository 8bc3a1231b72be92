package io.statestore.cli;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.statestore.client.ClientResources;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.AdministrationClient;
import io.statestore.client.mqtt.AdministrationUnavailableException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.MqttNotificationSource;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;

/**
 * Connection of one command to its server. The first call connects. Without a connection,
 * calls fail as soon as the first attempt to connect has failed, with several hosts after
 * the timeout, within which a cluster can elect a leader.
 */
final class Session implements AutoCloseable {

	private final ClientResources resources = new ClientResources();

	private final StateStoreConnection connection;

	private final MqttCommandInvoker invoker;

	private final List<StateStoreLockRegistry> registries = new CopyOnWriteArrayList<>();

	Session(ConnectionOptions options) {
		this.connection = new StateStoreConnection(options, this.resources);
		this.invoker = new MqttCommandInvoker(this.connection);
	}

	/** Returns a template for reads and writes, which cannot watch keys. */
	StateStoreTemplate template() {
		return new StateStoreTemplate(this.invoker);
	}

	/** Returns a new template that can watch keys. Call this at most once. */
	StateStoreTemplate watchingTemplate() {
		KeyWatches watches = new KeyWatches(new MqttNotificationSource(this.connection), this.invoker);
		return new StateStoreTemplate(this.invoker, null, watches);
	}

	/**
	 * Returns a new registry of locks, which this session stops.
	 * @param options of the locks
	 */
	StateStoreLockRegistry locks(LockOptions options) {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(watchingTemplate(), options, this.resources);
		this.registries.add(registry);
		return registry;
	}

	/**
	 * Stops the registries. Returns after they have released what a wait that was
	 * interrupted has acquired since.
	 */
	void stopLocks() {
		this.registries.forEach(StateStoreLockRegistry::stop);
	}

	/**
	 * Connects, and returns a client for administration requests.
	 * @throws StateStoreException if there is no connection
	 */
	AdministrationClient administration() {
		try {
			template().get(Key.of("statestore-cli"), Bytes.class);
		}
		catch (StateStoreRefusedException ex) {
			// A user may administer a server without reading its keys.
		}
		return new AdministrationClient(this.connection);
	}

	/**
	 * Returns an answer to an administration request.
	 * @throws StateStoreException if the request failed
	 */
	static <T extends @Nullable Object> T await(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof StateStoreException failure) {
				throw failure;
			}
			throw ex;
		}
	}

	/**
	 * Returns an answer to an administration request.
	 * @param exitCode exit code if there is no answer
	 * @param nextStep what to do then
	 * @throws CliException if there is no answer, or a refusal
	 */
	static <T extends @Nullable Object> T await(CompletableFuture<T> answer, int exitCode, String nextStep) {
		return answer(() -> await(answer), exitCode, nextStep);
	}

	/**
	 * Returns the result of calls that wait for answers to administration requests.
	 * @param exitCode exit code if there is no answer
	 * @param nextStep what to do then
	 * @throws CliException if there is no answer, or a refusal
	 */
	static <T extends @Nullable Object> T answer(Supplier<T> calls, int exitCode, String nextStep) {
		try {
			return calls.get();
		}
		catch (AdministrationUnavailableException ex) {
			throw new CliException(exitCode, ex.getMessage() + ". " + nextStep);
		}
		catch (StateStoreRefusedException ex) {
			throw refused(ex);
		}
	}

	/** Returns the failure of a command whose administration request was refused. */
	static RuntimeException refused(StateStoreRefusedException refusal) {
		return (refusal.reason() == ErrorReason.NOT_AUTHORIZED) ? refusal
				: new CliException(ExitCodes.REFUSED, "The server refused the request: " + refusal.getMessage());
	}

	MqttCommandInvoker invoker() {
		return this.invoker;
	}

	StateStoreConnection connection() {
		return this.connection;
	}

	@Override
	public void close() {
		stopLocks();
		this.connection.close();
		this.resources.close();
	}

}
