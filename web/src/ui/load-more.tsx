import { Button } from './button.tsx';
import { Failure } from './notice.tsx';

type Query = {
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => Promise<unknown>;
};

/** The button below a paginated list. */
export function LoadMore({ query }: { query: Query }) {
  const more = () => void query.fetchNextPage();
  if (query.isFetchNextPageError) return <Failure error={query.error} retry={more} />;
  if (!query.hasNextPage) return null;
  return (
    <Button className="justify-self-center" busy={query.isFetchingNextPage} onClick={more}>
      Load more
    </Button>
  );
}
