package io.statestore.boot.actuate;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.function.Function;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.statestore.client.Key;
import io.statestore.client.leader.LeaderContext;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.HeldLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * {@link Endpoint @Endpoint} that shows this process's connections, watches, held locks,
 * and leader roles. It can end this process's leadership and free a lock held by any
 * process. Read-only unless {@code management.endpoint.statestore.access} is
 * {@code unrestricted}, because freeing a lock interferes with other processes.
 * <p>
 * Values of keys are never shown, except the holders of locks. Keys are shown unchanged,
 * because operators need them.
 */
@Endpoint(id = "statestore", defaultAccess = Access.READ_ONLY)
public class StateStoreEndpoint {

	/** Parts of the response. */
	public enum Section {

		/** Connections to state stores. */
		CONNECTIONS,

		/** Watched keys. */
		WATCHES,

		/** Held locks. */
		LOCKS,

		/** Roles in leader elections. */
		LEADERS

	}

	private static final String DEFAULT_REGISTRY = "stateStoreLockRegistry";

	private final ListableBeanFactory beanFactory;

	/**
	 * Creates an endpoint.
	 * @param beanFactory contains the connections, watches, lock registries, and leader
	 * initiators to show
	 */
	public StateStoreEndpoint(ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Describes how this process uses state stores.
	 * @return all sections
	 */
	@ReadOperation
	public StateStoreDescriptor stateStore() {
		return new StateStoreDescriptor(connections(), watches(), locks(), leaders());
	}

	/**
	 * Describes one aspect of how this process uses state stores.
	 * @param section section to show
	 * @return a description with only this section
	 */
	@ReadOperation
	public StateStoreDescriptor section(@Selector Section section) {
		return switch (section) {
			case CONNECTIONS -> new StateStoreDescriptor(connections(), null, null, null);
			case WATCHES -> new StateStoreDescriptor(null, watches(), null, null);
			case LOCKS -> new StateStoreDescriptor(null, null, locks(), null);
			case LEADERS -> new StateStoreDescriptor(null, null, null, leaders());
		};
	}

	/**
	 * Frees a lock held by any process, or ends the leadership of this process.
	 * @param section {@link Section#LOCKS} or {@link Section#LEADERS}
	 * @param key key of the lock as shown by this endpoint, required for
	 * {@link Section#LOCKS}
	 * @param role leader role, required for {@link Section#LEADERS}
	 * @param registry bean name of the lock registry. By default, the only registry or
	 * the auto-configured registry
	 * @return a message about the result
	 * @throws InvalidEndpointRequestException if the key or role is missing
	 * @throws NoSuchElementException if there is no such lock, role, or registry
	 * @throws io.statestore.client.StateStoreException if the store does not answer
	 */
	@DeleteOperation
	public MessageDescriptor end(@Selector Section section, @Nullable String key, @Nullable String role,
			@Nullable String registry) {
		return new MessageDescriptor(switch (section) {
			case LOCKS -> forceRelease(required("key", key), registry);
			case LEADERS -> yieldRole(required("role", role));
			case CONNECTIONS, WATCHES ->
				throw new NoSuchElementException("Nothing to end here. Use locks?key=... or leaders?role=...");
		});
	}

	private static String required(String parameter, @Nullable String value) {
		if (value == null || value.isEmpty()) {
			String message = "The parameter '%1$s' is missing. Set it to the %1$s as shown".formatted(parameter);
			throw new InvalidEndpointRequestException(message, message);
		}
		return value;
	}

	private Map<String, ConnectionDescriptor> connections() {
		return describe(StateStoreConnection.class, ConnectionDescriptor::of);
	}

	private Map<String, List<WatchDescriptor>> watches() {
		return describe(KeyWatches.class,
				(watches) -> watches.watches()
					.stream()
					.sorted(Comparator.comparing(KeyWatches.Status::key))
					.map(WatchDescriptor::of)
					.toList());
	}

	private Map<String, List<LockDescriptor>> locks() {
		return describe(StateStoreLockRegistry.class,
				(registry) -> registry.heldLocks()
					.stream()
					.sorted(Comparator.comparing(HeldLock::key))
					.map(LockDescriptor::of)
					.toList());
	}

	private <B, D> Map<String, D> describe(Class<B> type, Function<B, D> descriptor) {
		Map<String, D> descriptors = new TreeMap<>();
		this.beanFactory.getBeansOfType(type).forEach((name, bean) -> descriptors.put(name, descriptor.apply(bean)));
		return descriptors;
	}

	private Map<String, LeaderDescriptor> leaders() {
		Map<String, LeaderDescriptor> leaders = new TreeMap<>();
		this.beanFactory.getBeansOfType(StateStoreLeaderInitiator.class)
			.values()
			.forEach((initiator) -> leaders.put(initiator.role(), LeaderDescriptor.of(initiator)));
		return leaders;
	}

	private String forceRelease(String name, @Nullable String registryName) {
		StateStoreLockRegistry registry = registry(registryName);
		Key key = registry.heldLocks()
			.stream()
			.map(HeldLock::key)
			.filter((held) -> held.toString().equals(name))
			.findFirst()
			.orElseGet(() -> Key.of(name));
		return registry.forceRelease(key)
			.map((holder) -> "Lock '" + name + "' was forced free. Its holder was " + holder)
			.orElseThrow(() -> new NoSuchElementException(
					"No lock '" + name + "' is held. Use the key in the store, including its prefix"));
	}

	private StateStoreLockRegistry registry(@Nullable String name) {
		Map<String, StateStoreLockRegistry> registries = this.beanFactory.getBeansOfType(StateStoreLockRegistry.class);
		StateStoreLockRegistry registry = (name == null && registries.size() == 1)
				? registries.values().iterator().next() : registries.get((name != null) ? name : DEFAULT_REGISTRY);
		if (registry == null) {
			throw new NoSuchElementException(
					"No such lock registry. Set the parameter 'registry' to one of " + registries.keySet());
		}
		return registry;
	}

	private String yieldRole(String role) {
		LeaderContext term = this.beanFactory.getBeansOfType(StateStoreLeaderInitiator.class)
			.values()
			.stream()
			.filter((initiator) -> initiator.role().equals(role))
			.flatMap((initiator) -> initiator.context().stream())
			.findFirst()
			.orElseThrow(() -> new NoSuchElementException(
					"This process does not lead '" + role + "'. Send the request to the process that leads"));
		term.yield();
		return "This process yields '" + role + "'";
	}

	/**
	 * Description of the use of state stores. Absent sections are {@code null}.
	 *
	 * @param connections connections by bean name
	 * @param watches watched keys by watcher bean name
	 * @param locks held locks by registry bean name
	 * @param leaders leader elections by role
	 */
	@JsonInclude(Include.NON_NULL)
	public record StateStoreDescriptor(@Nullable Map<String, ConnectionDescriptor> connections,
			@Nullable Map<String, List<WatchDescriptor>> watches, @Nullable Map<String, List<LockDescriptor>> locks,
			@Nullable Map<String, LeaderDescriptor> leaders) {
	}

	/**
	 * Description of a watched key.
	 *
	 * @param key key in the store
	 * @param active whether changes currently arrive
	 * @param version version of the last known value or deletion; {@code null} if unknown
	 * @param listeners names of the key's listeners
	 */
	@JsonInclude(Include.NON_NULL)
	public record WatchDescriptor(String key, boolean active, @Nullable String version, List<String> listeners) {

		static WatchDescriptor of(KeyWatches.Status status) {
			return new WatchDescriptor(status.key().toString(), status.active(),
					(status.version() != null) ? status.version().toString() : null, status.listeners());
		}

	}

	/**
	 * Description of a held lock.
	 *
	 * @param key key of the lock in the store
	 * @param holder name of the lock holder
	 * @param token fencing token
	 * @param remaining remaining lease without a renewal, in ISO 8601 format
	 */
	public record LockDescriptor(String key, String holder, String token, String remaining) {

		static LockDescriptor of(HeldLock held) {
			return new LockDescriptor(held.key().toString(), held.holder(), held.token().toString(),
					held.remaining().toString());
		}

	}

	/**
	 * Description of this process's role in an election.
	 *
	 * @param leader whether this process leads
	 * @param token fencing token of the term; {@code null} unless this process leads
	 * @param remaining remaining lease without a renewal, in ISO 8601 format;
	 * {@code null} unless this process leads
	 */
	@JsonInclude(Include.NON_NULL)
	public record LeaderDescriptor(boolean leader, @Nullable String token, @Nullable String remaining) {

		static LeaderDescriptor of(StateStoreLeaderInitiator initiator) {
			return initiator.context()
				.map((term) -> new LeaderDescriptor(true, term.token().toString(),
						term.heldLock().remaining().toString()))
				.orElseGet(() -> new LeaderDescriptor(false, null, null));
		}

	}

	/**
	 * Message to the operator.
	 *
	 * @param message the result in one sentence
	 */
	public record MessageDescriptor(String message) {
	}

}
