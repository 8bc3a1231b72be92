package io.statestore.broker.artemis;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.logs.AuditLogger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Workaround for an audit log that prevents the start of the broker. Artemis logs the
 * creation of the management bean of a server, with the user from
 * {@code Subject.getSubject}. On newer JDKs that method throws an exception. All other
 * audit lines of this broker contain the client of a connection and do not call it.
 * <p>
 * Where the method throws, the audit log is therefore disabled for the thread that starts
 * a broker, during the start. Levels and appenders do not change. Artemis has no option
 * for this. Reflection therefore replaces its logger.
 */
final class AuditLogGuard {

	/** Whether the current thread is starting a broker. */
	private static final ThreadLocal<Boolean> starting = ThreadLocal.withInitial(() -> false);

	private AuditLogGuard() {
	}

	/**
	 * Starts a server.
	 * @param server the server
	 * @throws IllegalStateException if the audit log would prevent the start and cannot
	 * be disabled
	 * @throws Exception if the start fails
	 */
	static void start(ActiveMQServer server) throws Exception {
		if (AuditLogger.isBaseLoggingEnabled() && !canReadUser()) {
			install();
		}
		starting.set(true);
		try {
			server.start();
		}
		finally {
			starting.remove();
		}
	}

	private static boolean canReadUser() {
		try {
			AuditLogger.getCaller();
			return true;
		}
		catch (UnsupportedOperationException ex) {
			return false;
		}
	}

	private static void install() {
		Logger logger = AuditLogger.BASE_LOGGER.getLogger();
		if (Proxy.isProxyClass(logger.getClass())) {
			return;
		}
		try {
			Field field = AuditLogger.BASE_LOGGER.getClass().getDeclaredField("logger");
			field.setAccessible(true);
			field.set(AuditLogger.BASE_LOGGER, Proxy.newProxyInstance(Logger.class.getClassLoader(),
					new Class<?>[] { Logger.class }, new DisabledAtStart(logger)));
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			throw new IllegalStateException(
					"The audit log of Artemis does not work on this JDK and cannot be held back while the broker "
							+ "starts. Set the level of the logger org.apache.activemq.audit to OFF",
					ex);
		}
	}

	/** Logger that is disabled for threads that are starting a broker. */
	private record DisabledAtStart(Logger logger) implements InvocationHandler {

		@Override
		public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
			if (starting.get() && method.getName().equals("isInfoEnabled")) {
				return false;
			}
			try {
				return method.invoke(this.logger, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}

	}

}
