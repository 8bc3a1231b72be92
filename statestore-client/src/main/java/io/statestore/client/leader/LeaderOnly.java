package io.statestore.client.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Restricts a method to the leader. Calls in any other process are skipped and logged at
 * DEBUG. Intended for scheduled methods and listeners.
 * <p>
 * Leadership is checked when the call starts. If leadership ends during the call, the
 * method continues. Write to the store through {@link LeaderContext#operations()}, so
 * that the writes are refused after the term has ended.
 * <p>
 * A scheduler makes up for overdue runs of a method with a fixed rate, for example after
 * the method was blocked by an outage. These runs are skipped, so that scheduled runs
 * start at least half a period apart and do not overlap. Direct calls are not affected.
 * <p>
 * A proxy performs the check, so calls within the same object bypass it. The method must
 * return {@code void} and must not be private, static, or final. Its class must not be
 * final. If a method violates these rules, or if there is no initiator with its role, the
 * application fails to start with an {@link IllegalStateException}.
 * <p>
 * The Spring Boot starter registers the proxy. Without the starter, declare a
 * {@link LeaderOnlyAnnotationBeanPostProcessor} bean.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface LeaderOnly {

	/**
	 * Role of the {@link StateStoreLeaderInitiator} whose leadership is required.
	 * Placeholders are resolved. Can be empty if there is only one initiator, or a
	 * primary initiator.
	 * @return the role
	 */
	String role() default "";

}
