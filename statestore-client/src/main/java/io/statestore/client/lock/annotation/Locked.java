package io.statestore.client.lock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.statestore.client.lock.StateStoreLockRegistry;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs a method under a lock of the {@link StateStoreLockRegistry}, like
 * {@link io.statestore.client.lock.FencedLock#execute}. Among all processes that use the
 * same state store, at most one call with the same lock runs at a time.
 * <p>
 * <b>Tenure.</b> {@link StateStoreLockRegistry#currentLock()} returns the tenure within
 * the method. Write through the tenure's {@code operations()}, so that the store refuses
 * writes from a call that has lost its lock. If the lock is lost before the method ends,
 * the call throws {@link io.statestore.client.lock.LockLostException}. A loss does not
 * stop the method, which may still be running when another holder has the lock.
 * <p>
 * <b>Results.</b> Methods whose return type is a future, a reactive type, a
 * {@code Callable}, or an asynchronous Spring MVC type are refused at startup, because
 * the lock would be released before their work is done. If a method with another return
 * type, such as {@code Object}, returns such an object, the call throws
 * {@link IllegalStateException}. On a Reactor thread that must not block, a call throws
 * {@link IllegalStateException} without invoking the method.
 * <p>
 * <b>Proxy.</b> A proxy acquires the lock, so calls within the same object bypass it. The
 * method must not be private, static, or final, and its class must not be final. The lock
 * is acquired before a transaction begins, and released after the transaction has ended.
 * With {@code @Async}, it is acquired on the thread that runs the method. With
 * {@code @LeaderOnly}, only the leader acquires the lock.
 * <p>
 * The application fails to start with an {@link IllegalStateException} if a method
 * violates these rules, or if an attribute is not valid. The Spring Boot starter
 * registers the proxy. Without the starter, declare a
 * {@link LockedAnnotationBeanPostProcessor} bean.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface Locked {

	/**
	 * Name of the lock, to which the registry adds the key prefixes. May contain
	 * placeholders, which are resolved first, and SpEL expressions, as in
	 * {@code "machine-#{#id}"}.
	 * <p>
	 * Expressions can use parameters by name if the class is compiled with
	 * {@code -parameters}, otherwise by position, as {@code #p0} or {@code #a0}. They can
	 * also use {@code #root.methodName}, {@code #root.method}, {@code #root.args},
	 * {@code #root.target}, {@code #root.targetClass}, and beans, as in {@code @bean}. A
	 * call throws {@link IllegalArgumentException} if an expression is {@code null} or
	 * empty.
	 * @return the name
	 */
	String value();

	/**
	 * Maximum time to wait for the lock, for example {@code 500ms} or {@code PT1M}; zero
	 * for a single request. Placeholders are resolved.
	 * @return the time, 10 s by default
	 */
	String waitTime() default "10s";

	/**
	 * How long the store keeps the lock without a renewal. Placeholders are resolved.
	 * @return the lease, 100 ms to a day; empty for the registry's lease
	 */
	String lease() default "";

	/**
	 * Maximum time that a call can hold the lock. After this time, the lock is lost, even
	 * if the method is still running. Placeholders are resolved.
	 * @return the maximum hold, 100 ms to 365 days; empty for no limit
	 * @see io.statestore.client.lock.FencedLock#withMaxHold
	 */
	String maxHold() default "";

	/**
	 * Whether to skip a call if its lock cannot be acquired, instead of throwing
	 * {@link LockNotAcquiredException}. Permitted only for methods that return
	 * {@code void}. Skipped calls are logged at DEBUG.
	 * @return whether to skip the call
	 */
	boolean skipIfHeld() default false;

}
