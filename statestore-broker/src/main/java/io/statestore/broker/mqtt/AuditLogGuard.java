package io.statestore.broker.mqtt;

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
 * Keeps the audit log of Artemis from ending the start of the broker. Artemis writes a
 * line when it makes the management bean of a server, and asks {@code Subject.getSubject}
 * for whom, which newer JDKs refuse to answer. All other lines that our broker can cause
 * name the client of a connection and do not ask.
 * <p>
 * So, where that method does not work, the audit log is disabled for the thread that
 * starts a broker, as long as it does so. Levels and appenders stay as they are. Artemis
 * has no setting for this: the logger it uses can only be replaced in its field.
 */
final class AuditLogGuard {

	private static final ThreadLocal<Boolean> starting = ThreadLocal.withInitial(() -> false);

	private AuditLogGuard() {
	}

	/**
	 * Start a server.
	 * @throws IllegalStateException if the audit log would end that and cannot be held
	 * back
	 */
	static void start(ActiveMQServer server) throws Exception {
		if (AuditLogger.isBaseLoggingEnabled() && !knowsItsCaller()) {
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

	private static boolean knowsItsCaller() {
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
