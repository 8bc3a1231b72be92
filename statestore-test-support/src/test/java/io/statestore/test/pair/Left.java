package io.statestore.test.pair;

import io.statestore.test.cycle.First;

/** In a cycle with {@link Right} only. */
public class Left {

	First first = new First();

	Right right() {
		return new Right(this);
	}

}
