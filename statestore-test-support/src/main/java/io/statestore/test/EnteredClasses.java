package io.statestore.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
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
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;

/**
 * Finds out which classes of the project an operation enters, by debugging a program that
 * executes it. Lambdas count for the class that contains them.
 */
public final class EnteredClasses {

	/** A byte that no log message contains. */
	private static final int READY = 0;

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
			// Resumed before its start, the program would remain suspended.
			machine.eventQueue().remove().resume();
			drain(machine.process().getErrorStream());
			awaitReady(output);
			drain(output);
			request(machine, "io.statestore.*", "io.statestore.test.*", program.getName() + '*').enable();
			request(machine, EnteredClasses.class.getName()).enable();
			OutputStream input = machine.process().getOutputStream();
			input.write(READY);
			input.flush();
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

	private static void awaitReady(InputStream output) throws IOException {
		int read = output.read();
		while (read != READY) {
			if (read < 0) {
				throw new IOException("The program has ended early");
			}
			read = output.read();
		}
	}

	/** Reads log messages, for which the program would wait otherwise. */
	private static void drain(InputStream output) {
		Thread thread = new Thread(() -> {
			try {
				output.transferTo(OutputStream.nullOutputStream());
			}
			catch (IOException ex) {
				// The program has ended.
			}
		});
		thread.setDaemon(true);
		thread.start();
	}

	private static MethodEntryRequest request(VirtualMachine machine, String included, String... excluded) {
		MethodEntryRequest entries = machine.eventRequestManager().createMethodEntryRequest();
		entries.addClassFilter(included);
		List.of(excluded).forEach(entries::addClassExclusionFilter);
		entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
		return entries;
	}

	private static Set<String> classes(EventQueue queue, Predicate<String> threads)
			throws IOException, InterruptedException {
		Set<String> classes = new TreeSet<>();
		while (true) {
			for (Event event : queue.remove()) {
				if (event instanceof VMDisconnectEvent) {
					throw new IOException("The program has ended early");
				}
				if (event instanceof MethodEntryEvent entry) {
					String name = entry.location().declaringType().name();
					if (name.equals(EnteredClasses.class.getName())) {
						return classes;
					}
					if (threads.test(entry.thread().name()) && !name.contains("$$Lambda")) {
						classes.add(name);
					}
				}
			}
		}
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
		completed();
		System.in.read();
	}

	private static void completed() {
		// The debugger notices the call.
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
