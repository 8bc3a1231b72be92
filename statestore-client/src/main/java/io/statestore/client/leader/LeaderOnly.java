package io.statestore.client.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that does something only where this process leads: any other call of it is
 * left out, which is logged at DEBUG. Meant for scheduled methods and listeners.
 * <p>
 * It is asked when the call begins. If the leadership ends meanwhile, the method runs on;
 * what it writes through {@link LeaderContext#operations()} is refused then, and that
 * alone is what protects the store.
 * <p>
 * The method returns nothing, is neither private, static nor final, and belongs to a bean
 * whose class is not final, because a proxy does the asking: a call from within the same
 * object is not left out. Anything else, and a role that nobody leads in this
 * application, stops its start with an {@link IllegalStateException} that says so.
 * <p>
 * The Spring Boot starter brings what is needed; without it make
 * {@link LeaderOnlyAnnotationBeanPostProcessor} a bean.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

	/**
	 * Of the {@link StateStoreLeaderInitiator} that is asked; by default there is only
	 * one, or a primary one. May have placeholders.
	 */
	String role() default "";

}
