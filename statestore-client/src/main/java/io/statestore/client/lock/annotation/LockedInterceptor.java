package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.internal.ProxiedMethodInterceptor;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.listener.AnnotatedMethodException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.util.ClassUtils;

/** Interceptor that runs {@link Locked} methods under their locks. */
final class LockedInterceptor extends ProxiedMethodInterceptor<Locked> {

	private static final Logger logger = LoggerFactory.getLogger(LockedInterceptor.class);

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.scheduler.Schedulers",
			LockedInterceptor.class.getClassLoader());

	private final Map<Method, LockedMethod> methods = new ConcurrentHashMap<>();

	private final ConfigurableListableBeanFactory beanFactory;

	private final BeanFactoryResolver beans;

	private volatile @Nullable StateStoreLockRegistry registry;

	LockedInterceptor(ConfigurableListableBeanFactory beanFactory) {
		super(Locked.class);
		this.beanFactory = beanFactory;
		this.beans = new BeanFactoryResolver(beanFactory);
	}

	@Override
	protected void validate(Method method) {
		method(method);
	}

	@Override
	protected void validateBeans(Method method) {
		method(method).validate(registry(method));
	}

	private LockedMethod method(Method method) {
		return this.methods.computeIfAbsent(method, (key) -> LockedMethod.of(key, annotation(key),
				(text) -> Objects.requireNonNullElse(this.beanFactory.resolveEmbeddedValue(text), "")));
	}

	/**
	 * Returns the registry that provides the locks.
	 * @throws AnnotatedMethodException if there is not exactly one registry
	 */
	private StateStoreLockRegistry registry(Method method) {
		StateStoreLockRegistry registry = this.registry;
		if (registry == null) {
			registry = this.beanFactory.getBeanProvider(StateStoreLockRegistry.class).getIfUnique();
			if (registry == null) {
				throw new AnnotatedMethodException(Locked.class, method,
						"requires a unique StateStoreLockRegistry bean. "
								+ "Declare one, or mark one of several as @Primary",
						null);
			}
			this.registry = registry;
		}
		return registry;
	}

	@Override
	@SuppressWarnings("NullAway") // A method may return null.
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis());
		Method specific = annotated(invocation);
		LockedMethod method = method(specific);
		requireBlocking(specific);
		String name = method.name().evaluate(new LockedCall(target, specific, invocation.getArguments()), this.beans);
		FencedLock lock = method.lock(registry(specific), name);
		AtomicBoolean entered = new AtomicBoolean();
		try {
			return lock.execute(method.waitTime(), (held) -> {
				entered.set(true);
				return method.requireDone(proceed(invocation));
			});
		}
		catch (TimeoutException ex) {
			if (entered.get()) {
				throw ex;
			}
			return notAcquired(method, lock, ex);
		}
		catch (InterruptedException ex) {
			if (entered.get()) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			throw new LockNotAcquiredException(lock.key(),
					notCalled(specific) + ": the thread was interrupted while it waited for lock '" + lock.key() + "'",
					ex);
		}
	}

	/**
	 * Requires a thread that may wait for a lock.
	 * @throws IllegalStateException on a Reactor thread that must not block
	 */
	private static void requireBlocking(Method method) {
		if (REACTOR_PRESENT && Schedulers.isInNonBlockingThread()) {
			throw new IllegalStateException(notCalled(method) + ": waiting for its lock would block thread '"
					+ Thread.currentThread().getName() + "', which serves other requests. Subscribe on "
					+ "Schedulers.boundedElastic(), and call it within Mono.fromCallable");
		}
	}

	/**
	 * Skips a call whose lock has another holder, or throws, depending on
	 * {@link Locked#skipIfHeld()}.
	 */
	private static @Nullable Object notAcquired(LockedMethod method, FencedLock lock, TimeoutException cause) {
		Duration wait = method.waitTime();
		if (method.skipIfHeld()) {
			logger.debug("Skipped a call because lock {} was not acquired within {}: {}", lock.key(), wait,
					method.method());
			return null;
		}
		throw new LockNotAcquiredException(lock.key(),
				notCalled(method.method()) + ": lock '" + lock.key() + "' was not acquired within " + wait
						+ " because another holder has it. Try again later, or raise 'waitTime' of @Locked",
				cause);
	}

	private static String notCalled(Method method) {
		return "Method " + method.getDeclaringClass().getName() + "." + method.getName() + "() was not called";
	}

	private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
		try {
			return invocation.proceed();
		}
		catch (Exception | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new UndeclaredThrowableException(ex);
		}
	}

}
