package io.statestore.broker.faults;

import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Prints both clocks' readings on request, in milliseconds, after a short wait. */
final class ClockProgram {

	private static final int WAIT_MILLIS = 50;

	private ClockProgram() {
	}

	public static void main(String[] arguments) throws InterruptedException {
		Scanner input = new Scanner(System.in);
		for (int number = 1; input.hasNextLine(); number++) {
			input.nextLine();
			boolean released = new CountDownLatch(1).await(WAIT_MILLIS, TimeUnit.MILLISECONDS);
			System.out.println(number + " " + System.currentTimeMillis() + ' ' + System.nanoTime() / 1_000_000
					+ (released ? " released" : ""));
		}
	}

}
