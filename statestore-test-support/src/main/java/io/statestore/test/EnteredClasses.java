package io.statestore.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.connect.VMStartException;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventQueue;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;

/**
 * Finds out which classes of the project an operation enters, by debugging a program that
 * executes it. Lambdas count for the class that contains them.
 */
public final class EnteredClasses {

	private static final int READY = 'r';

	private static final int DONE = 'd';

	/** Time without a further event after the operation, in milliseconds. */
	private static final long QUIET_MILLIS = 100;

	private EnteredClasses() {
	}

	/**
	 * Runs a program on the class path of this one.
	 * @param program a class whose {@code main} method calls {@link #trace}
	 * @param argument argument of the program
	 * @param threads selects the threads that belong to the operation, by name
	 * @return names of the classes outside the test whose methods were entered
	 * @throws Exception if the program cannot be started, or ends early
	 */
	public static Set<String> of(Class<?> program, String argument, Predicate<String> threads) throws Exception {
		VirtualMachine machine = launch(program, argument);
		try {
			InputStream output = machine.process().getInputStream();
			machine.resume();
			await(output, READY);
			MethodEntryRequest entries = machine.eventRequestManager().createMethodEntryRequest();
			entries.addClassFilter("io.statestore.*");
			entries.addClassExclusionFilter("io.statestore.test.*");
			entries.addClassExclusionFilter(program.getName() + '*');
			entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
			entries.enable();
			OutputStream input = machine.process().getOutputStream();
			input.write(READY);
			input.flush();
			await(output, DONE);
			entries.disable();
			return classes(machine.eventQueue(), threads);
		}
		finally {
			machine.process().destroyForcibly();
		}
	}

	private static VirtualMachine launch(Class<?> program, String argument)
			throws IOException, IllegalConnectorArgumentsException, VMStartException {
		LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
		Map<String, Connector.Argument> arguments = connector.defaultArguments();
		Objects.requireNonNull(arguments.get("options"))
			.setValue("-cp \"" + System.getProperty("java.class.path") + '"');
		Objects.requireNonNull(arguments.get("main")).setValue(program.getName() + ' ' + argument);
		return connector.launch(arguments);
	}

	private static void await(InputStream output, int expected) throws IOException {
		int read = output.read();
		while (read != expected) {
			if (read < 0) {
				throw new IOException("The program has ended early");
			}
			read = output.read();
		}
	}

	private static Set<String> classes(EventQueue queue, Predicate<String> threads) throws InterruptedException {
		Set<String> classes = new TreeSet<>();
		for (EventSet events = queue.remove(QUIET_MILLIS); events != null; events = queue.remove(QUIET_MILLIS)) {
			for (Event event : events) {
				if (event instanceof MethodEntryEvent entry && threads.test(entry.thread().name())) {
					classes.add(entry.location().declaringType().name());
				}
			}
		}
		classes.removeIf((name) -> name.contains("$$Lambda"));
		return classes;
	}

	/**
	 * Executes the operation. Called by the program, which then ends.
	 * @param operation the operation
	 * @throws Exception if it fails
	 */
	public static void trace(Operation operation) throws Exception {
		System.out.write(READY);
		System.out.flush();
		System.in.read();
		operation.run();
		System.out.write(DONE);
		System.out.flush();
		System.in.read();
	}

	/** An operation. */
	@FunctionalInterface
	public interface Operation {

		/**
		 * Executes it.
		 * @throws Exception if it fails
		 */
		void run() throws Exception;

	}

}
