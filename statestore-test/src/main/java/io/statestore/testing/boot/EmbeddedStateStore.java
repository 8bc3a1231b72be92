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
 * {@code statestore.host} or {@code statestore.embedded.enabled} is set. The beans
 * {@link TestBroker} and {@link StateStoreFaults} can be injected.
 *
 * <pre>{@code
 * &#64;SpringBootTest

 * &#64;EmbeddedStateStore
 * class PressTests {
 *
 *
&#64;Autowired
 *     private StateStoreOperations store;
 *
 * }
 * }</pre>
 *
 * <b>Context cache.</b> The broker is a bean. Test classes with the same configuration
 * and the same attributes share the context with its broker, and classes that differ have
 * a broker each. {@code @DirtiesContext} is not needed.
 * <p>
 * <b>Content.</b> Before each test method, all faults end, and the store returns to the
 * content that it had when the context had started: what the application wrote at startup
 * remains, except for keys with an expiry. Locks that are held also remain, so leaders
 * keep leading. Listeners of the application are notified of the keys that change. Tests
 * that run at the same time in one context require {@link #reset() reset = false}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface EmbeddedStateStore {

	/**
	 * Returns whether the store returns to its initial content, and all faults end,
	 * before each test method. Contexts are shared regardless of this attribute.
	 * @return {@code true} by default
	 */
	boolean reset() default true;

	/**
	 * Returns whether the test controls the time of the broker and of the client, with a
	 * bean of the type {@link TestTime}.
	 * @return {@code false} by default
	 */
	boolean controlTime() default false;

}
