package io.statestore.client.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Restricts a method to the leader: calls in any other process are skipped, which is
 * logged at DEBUG. Meant for scheduled methods and listeners.
 * <p>
 * Leadership is checked when the call begins. If it ends meanwhile, the method continues.
 * Only writes through {@link LeaderContext#operations()} are refused then, so write
 * through these operations.
 * <p>
 * The method returns {@code void} and is neither private, static nor final. Its class is
 * not final, because a proxy performs the check; a call within the same object bypasses
 * it. The application does not start with any other method, or with a role that has no
 * election: it fails with a {@link LeaderOnlyMethodException}.
 * <p>
 * The Spring Boot starter registers the proxy; without it, declare a
 * {@link LeaderOnlyAnnotationBeanPostProcessor} bean.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

	/**
	 * Role of the {@link StateStoreLeaderInitiator} that decides. Placeholders are
	 * resolved. Can be empty if there is only one initiator, or a primary one.
	 * @return the role
	 */
	String role() default "";

}
