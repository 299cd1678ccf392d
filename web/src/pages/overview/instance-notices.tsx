import { useQuery } from '@tanstack/react-query';
import { instanceQuery } from '../../api.ts';
import { Notice } from '../../ui/notice.tsx';

/** What the instance owner has to know about the machine; others get none. */
export function InstanceNotices() {
  const { data } = useQuery(instanceQuery);
  return data?.notices.map((notice) => (
    <Notice key={notice} kind="warn">
      {notice}
    </Notice>
  ));
}
