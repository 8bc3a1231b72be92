package io.statestore.testing.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;

/**
 * Annotation for a Spring test class whose application uses a state store in this JVM. A
 * {@link TestBroker} listens on a free port, and the application connects to it, even if
 * {@code statestore.host} or {@code statestore.embedded.enabled} is set. The
 * {@link TestBroker} and {@link StateStoreFaults} beans can be injected. <pre>{@code
 * &#64;SpringBootTest

 * &#64;EmbeddedStateStore
 * class PressTests {
&#64;Autowired
 * private StateStoreOperations store;
 * }
 * }</pre> <b>Context cache.</b> The broker is a bean. Test classes with the same
 * configuration and the same attributes share a context with its broker; other classes
 * have separate brokers. {@code @DirtiesContext} is not needed.
 * <p>
 * <b>Content.</b> Before each test method, all faults end, and the store returns to the
 * content it had after the context started: what the application wrote at startup
 * remains, except for keys with an expiry. Held locks also remain, so leaders keep
 * leading. The application's listeners are notified of keys that change. Tests that run
 * simultaneously in one context require {@link #reset() reset = false}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface EmbeddedStateStore {

	/**
	 * Whether to reset the store to its initial content and end all faults before each
	 * test method. Contexts are shared regardless of this attribute.
	 * @return {@code true} by default
	 */
	boolean reset() default true;

	/**
	 * Whether the test controls the time of the broker and the client, through a
	 * {@link TestTime} bean.
	 * @return {@code false} by default
	 */
	boolean controlTime() default false;

}
