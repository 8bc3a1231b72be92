package io.statestore.testing.junit;

import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import io.statestore.testing.broker.TestClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit extension that starts a broker with a state store on a free port and connects a
 * client. Does not need a Spring context.
 * <p>
 * With {@code @ExtendWith}, or in a static field with {@code @RegisterExtension}, all
 * tests in the class and its nested classes share the broker. Before each test, the store
 * is emptied, except for held locks. In an instance field, each test has its own broker,
 * so that tests can run in parallel. <pre>{@code
 * &#64;RegisterExtension
 * static final StateStoreExtension store = StateStoreExtension.builder().build();
 * }</pre> Methods and constructors can have parameters of type
 * {@link StateStoreOperations}, {@link StateStoreTemplate},
 * {@link StateStoreAsyncOperations}, {@link StateStoreLockRegistry},
 * {@link StateStoreFaults}, {@link TestClient}, {@link TestBroker}, and, with controlled
 * time, {@link TestTime}. If a class has several such extensions, use their methods
 * instead.
 */
public final class StateStoreExtension implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {

	private static final String CLIENT_ID = "test";

	private static final Map<Class<?>, Function<Session, Object>> PARAMETERS = Map.of(StateStoreOperations.class,
			(session) -> session.client().operations(), StateStoreTemplate.class,
			(session) -> session.client().operations(), StateStoreAsyncOperations.class,
			(session) -> session.client().operations().async(), StateStoreLockRegistry.class,
			(session) -> session.client().locks(), StateStoreFaults.class, (session) -> session.broker().faults(),
			TestClient.class, Session::client, TestBroker.class, Session::broker, TestTime.class,
			Session::requiredTime);

	private final ExtensionContext.Namespace namespace = ExtensionContext.Namespace.create(StateStoreExtension.class,
			this);

	private final Builder settings;

	private volatile @Nullable Session session;

	/** Creates an extension with the default settings, for {@code @ExtendWith}. */
	public StateStoreExtension() {
		this(builder());
	}

	private StateStoreExtension(Builder settings) {
		this.settings = settings;
	}

	/**
	 * Returns a builder with the default settings.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		session(context);
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		Session session = session(context);
		if (this.settings.reset) {
			session.broker().reset();
		}
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return PARAMETERS.containsKey(parameter.getParameter().getType());
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return Objects.requireNonNull(PARAMETERS.get(parameter.getParameter().getType())).apply(session(context));
	}

	/** Returns the class's session or, if there is none, the test's. JUnit closes it. */
	private Session session(ExtensionContext context) {
		Session session = context.getStore(this.namespace)
			.computeIfAbsent(Session.class, (type) -> Session.start(this.settings), Session.class);
		this.session = session;
		return session;
	}

	private Session current() {
		Session session = this.session;
		if (session == null) {
			throw new IllegalStateException("The state store has not been started. Register the extension in a static "
					+ "field to use it before the first test");
		}
		return session;
	}

	/**
	 * Returns the client's operations.
	 * @return operations on the store
	 */
	public StateStoreTemplate operations() {
		return current().client().operations();
	}

	/**
	 * Returns the client's lock registry.
	 * @return a registry that the client stops when closed
	 */
	public StateStoreLockRegistry locks() {
		return current().client().locks();
	}

	/**
	 * Returns the faults between the broker and its clients.
	 * @return faults that affect all clients of the broker
	 */
	public StateStoreFaults faults() {
		return current().broker().faults();
	}

	/**
	 * Returns the time that the test controls.
	 * @return the time of the broker and its clients
	 * @throws IllegalStateException if the time is not {@linkplain Builder#controlTime()
	 * controlled}
	 */
	public TestTime time() {
		return current().requiredTime();
	}

	/**
	 * Returns the broker.
	 * @return the running broker, for example to connect more clients
	 */
	public TestBroker broker() {
		return current().broker();
	}

	/** Builder for a {@link StateStoreExtension}. Not thread-safe. */
	public static final class Builder {

		private boolean reset = true;

		private boolean controlTime;

		private Builder() {
		}

		/**
		 * Keeps the store's content between the tests of a class, for tests that depend
		 * on each other or run in parallel.
		 * @return this builder
		 */
		public Builder withoutReset() {
			this.reset = false;
			return this;
		}

		/**
		 * Lets the test control the time of the broker and its clients.
		 * @return this builder
		 * @see StateStoreExtension#time()
		 */
		public Builder controlTime() {
			this.controlTime = true;
			return this;
		}

		/**
		 * Creates the extension.
		 * @return a new extension
		 */
		public StateStoreExtension build() {
			return new StateStoreExtension(this);
		}

	}

	/**
	 * A broker with a client.
	 *
	 * @param broker running broker
	 * @param client connected client
	 * @param time controlled time; {@code null} for the system clock
	 */
	private record Session(TestBroker broker, TestClient client, @Nullable TestTime time) implements AutoCloseable {

		static Session start(Builder settings) {
			TestTime time = settings.controlTime ? new TestTime() : null;
			TestBroker.Builder builder = TestBroker.builder();
			TestBroker broker = ((time != null) ? builder.time(time) : builder).start();
			try {
				return new Session(broker, broker.connect(CLIENT_ID), time);
			}
			catch (RuntimeException ex) {
				broker.close();
				throw ex;
			}
		}

		TestTime requiredTime() {
			if (this.time == null) {
				throw new IllegalStateException("The time is not controlled. Register the extension with "
						+ "StateStoreExtension.builder().controlTime().build() in a static field");
			}
			return this.time;
		}

		@Override
		public void close() {
			this.client.close();
			this.broker.close();
		}

	}

}
