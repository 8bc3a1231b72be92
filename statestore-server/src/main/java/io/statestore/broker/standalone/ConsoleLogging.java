package io.statestore.broker.standalone;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Configures Logback to log to the console. Does not use XML, because reading it takes a
 * tenth of a broker's startup time. Logback finds this class on the class path. It has no
 * effect unless the process has {@linkplain #enable() enabled} it.
 */
public final class ConsoleLogging extends ContextAwareBase implements Configurator {

	private static final String ENABLED = ConsoleLogging.class.getName();

	/** Creates a configurator. Called by Logback. */
	public ConsoleLogging() {
	}

	/**
	 * Enables this configuration in this process, unless a system property names another
	 * configuration. Has no effect after something was logged.
	 */
	static void enable() {
		if (System.getProperty("logback.configurationFile") == null) {
			System.setProperty(ENABLED, "true");
		}
	}

	@Override
	public ExecutionStatus configure(LoggerContext context) {
		if (!Boolean.getBoolean(ENABLED)) {
			return ExecutionStatus.INVOKE_NEXT_IF_ANY;
		}
		PatternLayoutEncoder encoder = new PatternLayoutEncoder();
		encoder.setContext(context);
		encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %msg%n%rootException{5}");
		encoder.start();
		ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
		console.setContext(context);
		console.setEncoder(encoder);
		console.start();
		Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
		root.setLevel(Level.WARN);
		root.addAppender(console);
		context.getLogger("io.statestore").setLevel(Level.INFO);
		// Cluster nodes report elections and errors themselves.
		context.getLogger("com.alipay.sofa.jraft").setLevel(Level.ERROR);
		return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
	}

}
